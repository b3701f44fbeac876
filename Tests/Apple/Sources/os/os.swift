// The lock, and signposts that are recorded for tests.
import Synchronization

/// All copies of a value share one lock, as with the system's type.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    private let mutex: Box
    private final class Box { let mutex = Mutex(()) }
}

extension OSAllocatedUnfairLock where State == Void {
    public init() { mutex = Box() }
    public func lock() { mutex.mutex._unsafeLock() }
    public func unlock() { mutex.mutex._unsafeUnlock() }
}

public struct OSSignpostID: Sendable, Hashable {
    public let rawValue: UInt64
    public init(_ value: UInt64) { rawValue = value }
}

public final class OSSignpostIntervalState: Sendable {
    public let id: OSSignpostID
    init(id: OSSignpostID) { self.id = id }
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { OSSignpostIntervalState(id: id) }
}

public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { OSLogPrivacy() }
}

public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    var text = ""
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) { text += literal }
    public mutating func appendInterpolation(_ value: @autoclosure () -> String, privacy: OSLogPrivacy) { text += value() }
    public mutating func appendInterpolation(_ value: @autoclosure () -> Int, privacy: OSLogPrivacy) { text += "\(value())" }
}

public struct SignpostMetadata: ExpressibleByStringInterpolation, Sendable {
    public let text: String
    public init(stringLiteral value: String) { text = value }
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

public struct OSSignposter: Sendable {
    /// The signposts of all signposters in order: `begin NAME ID TEXT`, `end NAME ID TEXT` or `event NAME ID TEXT`.
    public static let log = Mutex<[String]>([])

    public init(subsystem: String, category: String) {}
    public var isEnabled: Bool { true }

    public func beginInterval(_ name: StaticString, id: OSSignpostID) -> OSSignpostIntervalState {
        record("begin \(name) \(id.rawValue)")
        return OSSignpostIntervalState(id: id)
    }
    public func beginInterval(_ name: StaticString, id: OSSignpostID, _ text: SignpostMetadata) -> OSSignpostIntervalState {
        record("begin \(name) \(id.rawValue) \(text.text)")
        return OSSignpostIntervalState(id: id)
    }
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) { record("end \(name) \(state.id.rawValue)") }
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ text: SignpostMetadata) {
        record("end \(name) \(state.id.rawValue) \(text.text)")
    }
    public func emitEvent(_ name: StaticString, id: OSSignpostID) { emitEvent(name, id: id, "") }
    public func emitEvent(_ name: StaticString, id: OSSignpostID, _ text: SignpostMetadata) {
        record("event \(name) \(id.rawValue) \(text.text)")
    }
    private func record(_ line: String) { OSSignposter.log.withLock { $0.append(line) } }
}

/// Tests set this.
public nonisolated(unsafe) var availableMemoryOfProcess = 0
public func os_proc_available_memory() -> Int { availableMemoryOfProcess }
