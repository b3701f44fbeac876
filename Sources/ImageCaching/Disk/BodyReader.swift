internal import Dispatch
internal import ImageCore

/// Reads the body of a record in chunks and verifies its checksum. The last chunk is returned only if the whole body is valid.
final class BodyReader: Sendable {
    private struct Progress: Sendable {
        var done = 0
        var checksum = Checksum()
    }

    private let file: OpenFile
    private let name: EntryName
    private let location: PackLocation
    private let prefix: [UInt8]
    private let queue: DispatchQueue
    private let onDamage: @Sendable () -> Void
    private let progress = Lock(Progress())

    private static let chunkBytes = 1 << 18

    /// - Parameters:
    ///   - prefix: the bytes of the record before the body.
    ///   - onDamage: called when the body cannot be read or its checksum does not match.
    init(
        _ file: OpenFile, name: EntryName, location: PackLocation, prefix: [UInt8], queue: DispatchQueue,
        onDamage: @escaping @Sendable () -> Void
    ) {
        (self.file, self.name, self.location, self.prefix) = (file, name, location, prefix)
        (self.queue, self.onDamage) = (queue, onDamage)
    }

    /// The next chunk; `nil` at the end.
    ///
    /// - Throws: ``ImageError`` if the body is damaged; `CancellationError`.
    func next() async throws -> Data? {
        try Task.checkCancellation()
        let start = progress.withLock { $0.done }
        guard start < location.bodyLength || start == 0 else { return nil }
        let chunk: Data? = await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: read(from: start)) }
        }
        guard let chunk else {
            onDamage()
            throw ImageError(
                .cacheFailed, message: "An entry of the disk cache is damaged and was removed. Load the image again.")
        }
        return chunk.isEmpty ? nil : chunk
    }

    /// The chunk at `start`; `nil` if it cannot be read, or if it is the last one and the checksum of the body does not match.
    private func read(from start: Int) -> Data? {
        let count = min(Self.chunkBytes, location.bodyLength - start)
        var data = Data(count: count)
        let isRead = unsafe data.withUnsafeMutableBytes { bytes in
            unsafe file.fill(bytes, at: location.offset + location.prefixLength + start, mayBlock: true)
        }
        guard isRead else { return nil }
        let (isLast, checksum) = progress.withLock { progress in
            unsafe data.withUnsafeBytes { unsafe progress.checksum.append($0) }
            progress.done = start + count
            return (progress.done == location.bodyLength, progress.checksum.value)
        }
        guard isLast else { return data }
        let isWhole = unsafe prefix.withUnsafeBytes { bytes in
            unsafe PackRecord.decode(prefix: bytes, bodyChecksum: checksum, name: name, location: location) != nil
        }
        return isWhole ? data : nil
    }
}
