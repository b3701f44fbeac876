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
    /// Reads the entry at a location in this pack.
    func entry(named name: EntryName, at location: PackLocation, mayBlock: Bool) -> PackReading {
        // Check the size before memory is allocated.
        guard location.end <= status?.size ?? 0, let memory = unsafe malloc(location.length) else { return .damaged }
        let record = unsafe UnsafeMutableRawBufferPointer(start: memory, count: location.length)
        let isRead = unsafe fill(record, at: location.offset, mayBlock: mayBlock)
        let found = unsafe isRead ? PackRecord.decode(UnsafeRawBufferPointer(record), name: name, location: location) : nil
        // Frees the memory, at once if the body is so small that it is copied.
        let body = unsafe Data(
            bytesNoCopy: memory + location.prefixLength, count: location.bodyLength,
            deallocator: .custom { _, _ in unsafe free(memory) })
        guard isRead else { return mayBlock ? .damaged : .wouldBlock }
        return found.map { .entry(DataEntry(data: body, head: $0.head, storedAt: $0.storedAt)) } ?? .damaged
    }
}
