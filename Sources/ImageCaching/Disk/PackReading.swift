internal import ImageCore

internal import CalotypeSystem

/// The result of reading a record.
enum PackReading {
    case entry(DataEntry)
    /// The bytes are not those that were written.
    case damaged
    /// The bytes are not in the page cache, and the caller does not wait for the disk.
    case wouldBlock
}

extension OpenFile {
    /// For larger bodies, the size of the file is checked before memory is allocated.
    private static let smallBody = 1 << 16

    /// Reads the entry at a location in this pack.
    func entry(named name: EntryName, at location: PackLocation, mayBlock: Bool) -> PackReading {
        if location.bodyLength > Self.smallBody, location.end > status?.size ?? 0 { return .damaged }
        let prefixLength = PackRecord.headerLength + location.headLength
        return unsafe withUnsafeTemporaryAllocation(byteCount: prefixLength, alignment: 8) { prefix in
            guard let memory = unsafe malloc(max(1, location.bodyLength)) else { return .damaged }
            let bytes = unsafe UnsafeMutableRawBufferPointer(start: memory, count: location.bodyLength)
            let bodyChecksum = unsafe readAndCheck(prefix, bytes, at: location.offset, mayBlock: mayBlock)
            let body = unsafe Data(bytesNoCopy: memory, count: location.bodyLength, deallocator: .free)
            guard let bodyChecksum else { return mayBlock ? .damaged : .wouldBlock }
            let found = unsafe PackRecord.decode(
                prefix: UnsafeRawBufferPointer(prefix), bodyChecksum: bodyChecksum, name: name, location: location)
            return found.map { .entry(DataEntry(data: body, head: $0.head, storedAt: $0.storedAt)) } ?? .damaged
        }
    }

    /// Reads the prefix and the body, and returns the checksum of the body; `nil` if not all bytes could be read.
    ///
    /// A large body is read in chunks, so that each chunk is in the processor's cache when its checksum is computed.
    private func readAndCheck(
        _ prefix: UnsafeMutableRawBufferPointer, _ body: UnsafeMutableRawBufferPointer, at offset: Int, mayBlock: Bool
    ) -> UInt64? {
        var checksum = Checksum()
        var (done, head) = unsafe (0, prefix)
        repeat {
            let end = min(body.count, done + Self.chunkBytes)
            let chunk = unsafe UnsafeMutableRawBufferPointer(rebasing: body[done..<end])
            let start = done == 0 ? offset : offset + prefix.count + done
            guard unsafe mayBlock ? readBlocking(head, chunk, at: start) : readCached(head, chunk, at: start) else { return nil }
            if end == body.count, done == 0 { return unsafe Checksum.of(UnsafeRawBufferPointer(chunk)) }
            unsafe checksum.append(UnsafeRawBufferPointer(chunk))
            unsafe head = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            done = end
        } while done < body.count
        return checksum.value
    }

    /// About the size of a processor's second-level cache.
    static var chunkBytes: Int { 1 << 17 }
}
