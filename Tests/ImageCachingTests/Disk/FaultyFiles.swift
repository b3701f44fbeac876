import Dispatch
import ImageCore

@testable import ImageCaching

/// A file system, by default the real one, that injects faults after a number of changing calls: each fails, or the
/// process counts as ended.
final class FaultyFiles: FileSystem {
    enum Fault: Sendable {
        /// From the given call on nothing changes; an interrupted write leaves its first quarter.
        case death
        /// Only the given call fails.
        case once(code: Int32)
        /// All calls from the given one on fail.
        case always(code: Int32)
    }

    private let base: any FileSystem
    private let fault: Fault
    private let first: Int
    private let calls = Lock(0)

    /// - Parameter first: the number of the first call that fails, from 0.
    init(_ fault: Fault, at first: Int, on base: any FileSystem = POSIXFiles()) {
        self.base = base
        self.fault = fault
        self.first = first
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
        if let code = failure() { throw FileFailure(code: code, operation: operation) }
    }

    func openDirectory(path: String) throws(FileFailure) -> OpenFile {
        try check("make the directory")
        return try base.openDirectory(path: path)
    }

    func openDirectory(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        try check("make the directory \(name)")
        return try base.openDirectory(name, in: directory)
    }

    func createFile(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        try check("create \(name)")
        return try base.createFile(name, in: directory)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileFailure) {
        let wasDead = isDead
        if let code = failure() {
            // A part may have been written, as on a full disk: not the half that has all but the zeros before a body.
            if !wasDead {
                try unsafe base.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 4)]), to: file, at: offset)
            }
            throw FileFailure(code: code, operation: "write to \(file.name)")
        }
        try unsafe base.write(bytes, to: file, at: offset)
    }

    func setTimes(_ times: FileTimes, of name: String, in directory: OpenFile) throws(FileFailure) {
        try check("set the times of \(name)")
        try base.setTimes(times, of: name, in: directory)
    }

    func rename(_ name: String, to newName: String, in directory: OpenFile) throws(FileFailure) {
        try check("rename \(name)")
        try base.rename(name, to: newName, in: directory)
    }

    func remove(_ name: String, in directory: OpenFile) throws(FileFailure) {
        try check("remove \(name)")
        try base.remove(name, in: directory)
    }

    /// Does not sync: the machine goes on, and these tests sync thousands of times.
    func sync(_ directory: OpenFile) throws(FileFailure) { try check("sync \(directory.name)") }
}

/// The real file system, whose first call of one kind waits until the test releases it.
final class HeldFiles: FileSystem {
    enum Call: Sendable { case create, write, setTimes, rename, remove }

    private let base = POSIXFiles()
    private let held: Call
    private let isFirst = Lock(true)
    private let gate = DispatchSemaphore(value: 0)
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    init(_ held: Call) { self.held = held }

    /// Returns when the call has begun.
    func waitForCall() async { for await _ in arrivals { break } }

    func release() { gate.signal() }

    private func pass(_ call: Call) {
        guard call == held,
            isFirst.withLock({ first in
                defer { first = false }; return first
            })
        else { return }
        arrival.yield()
        gate.wait()
    }

    func openDirectory(path: String) throws(FileFailure) -> OpenFile { try base.openDirectory(path: path) }

    func openDirectory(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        try base.openDirectory(name, in: directory)
    }

    func createFile(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        pass(.create)
        return try base.createFile(name, in: directory)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileFailure) {
        pass(.write)
        try unsafe base.write(bytes, to: file, at: offset)
    }

    func setTimes(_ times: FileTimes, of name: String, in directory: OpenFile) throws(FileFailure) {
        pass(.setTimes)
        try base.setTimes(times, of: name, in: directory)
    }

    func rename(_ name: String, to newName: String, in directory: OpenFile) throws(FileFailure) {
        pass(.rename)
        try base.rename(name, to: newName, in: directory)
    }

    func remove(_ name: String, in directory: OpenFile) throws(FileFailure) {
        pass(.remove)
        try base.remove(name, in: directory)
    }

    func sync(_ directory: OpenFile) throws(FileFailure) { try base.sync(directory) }
}
