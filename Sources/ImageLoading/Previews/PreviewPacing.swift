/// When a preview of the bytes so far is made: a value that takes the time and returns what to do.
///
/// One preview is made at a time, of all bytes that came before it began. At most one is shown in an interval, the
/// first at once. A preview that was held back is made when the interval is over, without waiting for further bytes.
struct PreviewPacing: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case nothing
        /// Make a preview, and then call ``ended(hasShown:at:)``.
        case show
        /// Call ``elapsed(at:)`` after this time.
        case wait(Duration)
    }

    /// The shortest time from one preview to the next.
    let interval: Duration
    private var lastShown: Duration?
    private var hasUnshown = false
    private var isBusy = false
    private var isWaiting = false

    init(interval: Duration) { self.interval = interval }

    /// Bytes have come.
    mutating func arrived(at now: Duration) -> Step {
        hasUnshown = true
        return next(now)
    }

    /// The preview has been made.
    ///
    /// - Parameter hasShown: whether there was anything to show. If not, the next bytes need not wait.
    mutating func ended(hasShown: Bool, at now: Duration) -> Step {
        isBusy = false
        if !hasShown { lastShown = nil }
        return next(now)
    }

    /// The time of a ``Step/wait(_:)`` is over.
    mutating func elapsed(at now: Duration) -> Step {
        isWaiting = false
        return next(now)
    }

    private mutating func next(_ now: Duration) -> Step {
        guard hasUnshown, !isBusy else { return .nothing }
        let rest = lastShown.map { interval - (now - $0) } ?? .zero
        guard rest > .zero else {
            (lastShown, hasUnshown, isBusy) = (now, false, true)
            return .show
        }
        guard !isWaiting else { return .nothing }
        isWaiting = true
        return .wait(rest)
    }
}
