internal import ImageCore

/// The operations by which the disk cache changes the file system. Tests replace it to inject faults.
///
/// Names are relative to an open directory, so that a directory that is renamed stays the same one. No call follows a
/// symbolic link in the last component of a path.
protocol FileSystem: Sendable {
    /// Opens a directory by path. Creates it and its parents if they are missing. Fails if other users can write to it.
    func openDirectory(path: String) throws(FileFailure) -> OpenFile
    /// Opens a directory inside another. Creates it if it is missing. Fails if other users can write to it.
    func openDirectory(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile
    /// Creates a file; fails if the name exists.
    func createFile(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile
    /// Writes all bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileFailure)
    func setTimes(_ times: FileTimes, of name: String, in directory: OpenFile) throws(FileFailure)
    /// Replaces the file of the new name, if there is one.
    func rename(_ name: String, to newName: String, in directory: OpenFile) throws(FileFailure)
    /// Removes a file, or an empty directory.
    func remove(_ name: String, in directory: OpenFile) throws(FileFailure)
    /// Returns once everything that was written to the file system of a directory is on the disk.
    func sync(_ directory: OpenFile) throws(FileFailure)
}

/// The times of an entry's file, in seconds since 1970.
struct FileTimes: Hashable, Sendable {
    /// The time of the last access.
    var lastUse: Double
    /// The time of the last modification.
    var written: Double
}

/// A system call that failed.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    /// The system's error number. The first field, so that it is read before anything else changes it.
    var code: Int32
    /// What failed, in the form "write to 3f.tmp".
    var operation: String
    /// The end of the operation. Every miss makes a failure, so the text is joined only when it is shown.
    var file = ""

    var description: String { "could not \(operation)\(file): \(SystemError.text(code))" }
}
