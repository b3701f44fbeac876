internal import ImageCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

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
            let isRead =
                unsafe waits ? readWaiting(prefix, bytes, at: location.offset) : readCached(prefix, bytes, at: location.offset)
            let body = unsafe Data(bytesNoCopy: memory, count: location.bodyLength, deallocator: .free)
            guard isRead else { return waits ? .damaged : .wouldWait }
            let entry = unsafe PackRecord.decode(
                prefix: UnsafeRawBufferPointer(prefix), body: body, name: name, location: location)
            return entry.map { .entry($0) } ?? .damaged
        }
    }
}
