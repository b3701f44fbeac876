internal import Dispatch
internal import ImageCore

/// Hands out the body of a record piece by piece, and checks it on the way: the last piece follows only where all of them
/// are what was written.
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

    /// Bytes of one piece.
    private static let piece = 1 << 18

    /// - Parameters:
    ///   - prefix: the bytes before the body.
    ///   - onDamage: called when the bytes turn out not to be what was written.
    init(
        _ file: OpenFile, name: EntryName, location: PackLocation, prefix: [UInt8], queue: DispatchQueue,
        onDamage: @escaping @Sendable () -> Void
    ) {
        (self.file, self.name, self.location, self.prefix) = (file, name, location, prefix)
        (self.queue, self.onDamage) = (queue, onDamage)
    }

    /// The next piece; `nil` at the end.
    ///
    /// - Throws: ``ImageError`` where the body is damaged, `CancellationError`.
    func next() async throws -> Data? {
        try Task.checkCancellation()
        let start = progress.withLock { $0.done }
        guard start < location.bodyLength || start == 0 else { return nil }
        let piece: Data? = await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: read(from: start)) }
        }
        guard let piece else {
            onDamage()
            throw ImageError(.cacheFailed, message: "An entry of the disk cache is damaged; it was removed. Load it again.")
        }
        return piece.isEmpty ? nil : piece
    }

    /// The piece from there on, or `nil` where it cannot be read, or was the last and the body does not check.
    private func read(from start: Int) -> Data? {
        let count = min(Self.piece, location.bodyLength - start)
        var data = Data(count: count)
        let isRead = unsafe data.withUnsafeMutableBytes { bytes in
            unsafe file.readWaiting(
                UnsafeMutableRawBufferPointer(start: nil, count: 0), bytes,
                at: location.offset + PackRecord.headerLength + location.headLength + start)
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
