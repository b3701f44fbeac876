internal import ImageCore

internal import CalotypeSystem

/// How reading a record ended.
enum PackReading {
    case entry(DataEntry)
    /// The bytes are not what was written there.
    case damaged
    /// They are not in memory, and the disk was not to be waited for.
    case wouldWait
}

extension OpenFile {
    /// Bodies above this are checked against the file's size before memory is allocated for them.
    private static let smallBody = 1 << 16

    /// The entry at a place in this pack.
    func entry(named name: EntryName, at location: PackLocation, waits: Bool) -> PackReading {
        if location.bodyLength > Self.smallBody, location.end > status?.size ?? 0 { return .damaged }
        let prefixLength = PackRecord.headerLength + location.headLength
        return unsafe withUnsafeTemporaryAllocation(byteCount: prefixLength, alignment: 8) { prefix in
            guard let memory = unsafe malloc(max(1, location.bodyLength)) else { return .damaged }
            let bytes = unsafe UnsafeMutableRawBufferPointer(start: memory, count: location.bodyLength)
            let bodyChecksum = unsafe readAndCheck(prefix, bytes, at: location.offset, waits: waits)
            let body = unsafe Data(bytesNoCopy: memory, count: location.bodyLength, deallocator: .free)
            guard let bodyChecksum else { return waits ? .damaged : .wouldWait }
            let found = unsafe PackRecord.decode(
                prefix: UnsafeRawBufferPointer(prefix), bodyChecksum: bodyChecksum, name: name, location: location)
            return found.map { .entry(DataEntry(data: body, head: $0.head, storedAt: $0.storedAt)) } ?? .damaged
        }
    }

    /// Reads the prefix and the body, and returns the body's checksum; `nil` where not all of it was there, or at hand.
    ///
    /// A large body is read piece by piece, each checked while the processor still has it at hand.
    private func readAndCheck(
        _ prefix: UnsafeMutableRawBufferPointer, _ body: UnsafeMutableRawBufferPointer, at offset: Int, waits: Bool
    ) -> UInt64? {
        var checksum = Checksum()
        var (done, head) = unsafe (0, prefix)
        repeat {
            let end = min(body.count, done + Self.piece)
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: body[done..<end])
            let start = done == 0 ? offset : offset + prefix.count + done
            guard unsafe waits ? readWaiting(head, piece, at: start) : readCached(head, piece, at: start) else { return nil }
            if end == body.count, done == 0 { return unsafe Checksum.of(UnsafeRawBufferPointer(piece)) }
            unsafe checksum.append(UnsafeRawBufferPointer(piece))
            unsafe head = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            done = end
        } while done < body.count
        return checksum.value
    }

    /// Bytes to read and check at a time: what the second level of a processor's cache holds.
    static var piece: Int { 1 << 17 }
}
