import ImageCore

@testable import ImageCaching

/// The real file system with a capacity in bytes, counted by the names of files. A write beyond it writes what fits and
/// then fails with ENOSPC.
final class SmallDisk: FileSystem {
    private struct Room: Sendable {
        var capacity: Int
        var sizes: [String: Int] = [:]

        var free: Int { max(0, capacity - sizes.values.reduce(0, +)) }
    }

    private let base = POSIXFiles()
    private let room: Lock<Room>

    init(capacity: Int) { room = Lock(Room(capacity: capacity)) }

    /// Sets the free space to `left` bytes.
    func fill(but left: Int = 0) { room.withLock { $0.capacity += left - $0.free } }

    func openDirectory(path: String) throws(FileFailure) -> OpenFile { try base.openDirectory(path: path) }

    func openDirectory(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        try base.openDirectory(name, in: directory)
    }

    func createFile(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        try base.createFile(name, in: directory)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileFailure) {
        let fitting = room.withLock { room in
            let size = room.sizes[file.name] ?? 0
            let end = min(offset + bytes.count, max(offset, size + room.free))
            room.sizes[file.name] = max(size, end)
            return end - offset
        }
        try unsafe base.write(UnsafeRawBufferPointer(rebasing: bytes[..<fitting]), to: file, at: offset)
        // ENOSPC, the same number everywhere.
        guard fitting == bytes.count else { throw FileFailure(code: 28, operation: "write to \(file.name)") }
    }

    func setTimes(_ times: FileTimes, of name: String, in directory: OpenFile) throws(FileFailure) {
        try base.setTimes(times, of: name, in: directory)
    }

    func rename(_ name: String, to newName: String, in directory: OpenFile) throws(FileFailure) {
        try base.rename(name, to: newName, in: directory)
        room.withLock { $0.sizes[newName] = $0.sizes.removeValue(forKey: name) }
    }

    func remove(_ name: String, in directory: OpenFile) throws(FileFailure) {
        try base.remove(name, in: directory)
        room.withLock { $0.sizes[name] = nil }
    }

    func sync(_ directory: OpenFile) throws(FileFailure) { try base.sync(directory) }
}
