internal import ImageCore

/// What the disk cache asks of the file system: the seam at which tests break it.
///
/// All names are relative to an open directory, so that a directory that is moved stays the same one. No call follows a
/// symbolic link in the last place, none but ``pause(seconds:)`` waits for anything but the disk.
protocol FileSystem: Sendable {
    /// Opens a directory by path, after making it and its parents where they are missing.
    func openDirectory(path: String) throws(FileFailure) -> OpenFile
    /// Opens a directory inside another; makes it when it is missing.
    func openDirectory(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile
    /// Opens a regular file for reading and writing.
    func openFile(_ name: String, in directory: OpenFile, _ mode: OpenMode) throws(FileFailure) -> OpenFile
    /// Writes all bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileFailure)
    /// Reads up to `count` bytes at an offset, fewer only at the end of the file.
    func read(_ count: Int, from file: OpenFile, at offset: Int) throws(FileFailure) -> [UInt8]
    func truncate(_ file: OpenFile, to length: Int) throws(FileFailure)
    /// Returns when the file's bytes, or the directory's names, are on the disk.
    func sync(_ file: OpenFile) throws(FileFailure)
    func rename(_ name: String, to newName: String, in directory: OpenFile) throws(FileFailure)
    func remove(_ name: String, in directory: OpenFile) throws(FileFailure)
    /// The names in a directory, up to `limit` of them, without `.` and `..`.
    func names(in directory: OpenFile, limit: Int) throws(FileFailure) -> [String]
    /// Takes the lock of a file for this opening of it, if nobody else has it. Ends with ``unlock(_:)``, with the last
    /// reference to the opening, or with the process.
    func tryLock(_ file: OpenFile) throws(FileFailure) -> Bool
    func unlock(_ file: OpenFile)
    /// Blocks for that many seconds, between two attempts to take a lock.
    func pause(seconds: Double)
}

enum OpenMode: Sendable {
    case existing
    case existingOrNew
    /// Fails where the name is taken.
    case new
}

/// A system call that failed.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    /// What was tried, as in "write to 3.pack".
    var operation: String
    /// The system's error number.
    var code: Int32

    var description: String { "could not \(operation): \(SystemError.text(code))" }
}
