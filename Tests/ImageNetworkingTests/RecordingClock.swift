import ImageCore

/// A clock whose sleeps end at once and are recorded.
final class RecordingClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private let sleeps = Lock<[Duration]>([])
    private let onSleep: @Sendable () -> Void

    init(onSleep: @escaping @Sendable () -> Void = {}) { self.onSleep = onSleep }

    var now: Instant { Instant(offset: sleeps.withLock { $0.reduce(.zero, +) }) }
    var minimumResolution: Duration { .zero }
    var slept: [Duration] { sleeps.withLock { $0 } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let duration = now.duration(to: deadline)
        sleeps.withLock { $0.append(duration) }
        onSleep()
        try Task.checkCancellation()
    }
}
