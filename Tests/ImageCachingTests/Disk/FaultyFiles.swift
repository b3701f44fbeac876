import Dispatch
import ImageCore

@testable import ImageCaching

/// A file system, by default the real one, that injects faults after a number of changing calls: each fails, or the process counts
/// as ended.
final class FaultyFiles: FileSystem {
    enum Fault: Sendable {
        /// From the given call on nothing changes; an interrupted write leaves its first half.
        case death
        /// Only the given call fails.
        case once(code: Int32)
        /// All calls from the given one on fail.
        case always(code: Int32)
    }

    private let base: any FileSystem
    private let fault: Fault
    private let first: Int
    private let pauses: Pauses?
    private let calls = Lock(0)

    /// - Parameters:
    ///   - first: the number of the first call that fails, from 0.
    ///   - pauses: replace the real pauses.
    ///   - pauses: take the place of real ones.
    init(_ fault: Fault, at first: Int, on base: any FileSystem = POSIXFiles(), pauses: Pauses? = nil) {
        self.base = base
        self.fault = fault
        self.first = first
        self.pauses = pauses
    }

    /// The number of changing calls so far.
    var count: Int { calls.withLock { $0 } }
    var isDead: Bool { if case .death = fault { count > first } else { false } }

    /// Counts a changing call; returns the error number with which it fails.
    private func failure() -> Int32? {
        let number = calls.withLock { count in
            count += 1
            return count - 1
        }
        switch fault {
        case .death: return number >= first ? 5 : nil
        case .once(let code): return number == first ? code : nil
        case .always(let code): return number >= first ? code : nil
        }
    }

    private func check(_ operation: String) throws(FileFailure) {
        if let code = failure() { throw FileFailure(operation: operation, code: code) }
    }

    func openDirectory(path: String) throws(FileFailure) -> OpenFile {
        try check("make the directory")
        return try base.openDirectory(path: path)
    }

    func openDirectory(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        try check("make the directory \(name)")
        return try base.openDirectory(name, in: directory)
    }

    func openFile(_ name: String, in directory: OpenFile, _ mode: OpenMode) throws(FileFailure) -> OpenFile {
        if mode != .existing { try check("create \(name)") }
        return try base.openFile(name, in: directory, mode)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileFailure) {
        let wasDead = isDead
        if let code = failure() {
            // A part may have been written, as on a full disk.
            if !wasDead {
                try unsafe base.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), to: file, at: offset)
            }
            throw FileFailure(operation: "write to \(file.name)", code: code)
        }
        try unsafe base.write(bytes, to: file, at: offset)
    }

    func read(_ count: Int, from file: OpenFile, at offset: Int) throws(FileFailure) -> [UInt8] {
        try base.read(count, from: file, at: offset)
    }

    func truncate(_ file: OpenFile, to length: Int) throws(FileFailure) {
        try check("shorten \(file.name)")
        try base.truncate(file, to: length)
    }

    func sync(_ file: OpenFile) throws(FileFailure) {
        try check("sync \(file.name)")
        try base.sync(file)
    }

    func rename(_ name: String, to newName: String, in directory: OpenFile) throws(FileFailure) {
        try check("rename \(name)")
        try base.rename(name, to: newName, in: directory)
    }

    func remove(_ name: String, in directory: OpenFile) throws(FileFailure) {
        try check("remove \(name)")
        try base.remove(name, in: directory)
    }

    func names(in directory: OpenFile, limit: Int) throws(FileFailure) -> [String] { try base.names(in: directory, limit: limit) }
    func tryLock(_ file: OpenFile) throws(FileFailure) -> Bool { try base.tryLock(file) }
    func unlock(_ file: OpenFile) { base.unlock(file) }
    func pause(seconds: Double) { if let pauses { pauses.add(seconds) } else { base.pause(seconds: seconds) } }
}

/// Records the pauses of a cache that waits for a lock, without waiting.
final class Pauses: Sendable {
    private let total = Lock(0.0)
    private let limit: Double
    private let gate = DispatchSemaphore(value: 0)

    /// - Parameter limit: the sum in seconds after which a pause ends only with ``release()``.
    init(limit: Double = .infinity) { self.limit = limit }

    var seconds: Double { total.withLock { $0 } }

    func add(_ seconds: Double) {
        let sum = total.withLock { total in
            total += seconds
            return total
        }
        guard sum >= limit else { return }
        gate.wait()
        gate.signal()
    }

    func release() { gate.signal() }
}
