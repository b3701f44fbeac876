internal import ImageCore

/// The operations of the file system that the disk cache needs. Tests replace it to inject faults.
///
/// All names are relative to an open directory, so that a directory that is renamed stays the same one. No call follows a
/// symbolic link in the last component. Only ``pause(seconds:)`` waits for anything but the disk.
protocol FileSystem: Sendable {
    /// Opens a directory by path. Creates it and its parents if they are missing.
    func openDirectory(path: String) throws(FileFailure) -> OpenFile
    /// Opens a directory inside another. Creates it if it is missing.
    func openDirectory(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile
    /// Opens a regular file for reading and writing.
    func openFile(_ name: String, in directory: OpenFile, _ mode: OpenMode) throws(FileFailure) -> OpenFile
    /// Writes all bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileFailure)
    /// Reads up to `count` bytes at an offset, fewer only at the end of the file.
    func read(_ count: Int, from file: OpenFile, at offset: Int) throws(FileFailure) -> [UInt8]
    func truncate(_ file: OpenFile, to length: Int) throws(FileFailure)
    /// Returns once the bytes of a file, or the names in a directory, are on the disk.
    func sync(_ file: OpenFile) throws(FileFailure)
    func rename(_ name: String, to newName: String, in directory: OpenFile) throws(FileFailure)
    /// Removes a file, or an empty directory.
    func remove(_ name: String, in directory: OpenFile) throws(FileFailure)
    /// The names in a directory, up to `limit` of them, without `.` and `..`.
    func names(in directory: OpenFile, limit: Int) throws(FileFailure) -> [String]
    /// Takes the lock of an open file unless another opening holds it; returns whether it was taken. The lock is released by
    /// ``unlock(_:)``, when the last reference to the open file is gone, or when the process ends.
    func tryLock(_ file: OpenFile) throws(FileFailure) -> Bool
    func unlock(_ file: OpenFile)
    /// Blocks the thread between two attempts to take a lock.
    func pause(seconds: Double)
}

enum OpenMode: Sendable {
    case existing
    case existingOrNew
    /// Fails if the name exists.
    case new
}

/// A system call that failed.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    /// What failed, in the form "write to 3.pack".
    var operation: String
    /// The system's error number.
    var code: Int32

    var description: String { "could not \(operation): \(SystemError.text(code))" }
}
