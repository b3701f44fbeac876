/// When the bytes so far are decoded, and when a preview of them is shown: a value that takes the time and returns what to do.
///
/// One step runs at a time, and it takes all bytes that came before it began; bytes that come while it runs wait for the next
/// step. At most one preview is shown in an interval, the first at once. A preview that was held back is shown when the interval
/// is over, without waiting for further bytes.
struct PreviewPacing: Hashable, Sendable {
    /// Independent effects.
    struct Step: Hashable, Sendable {
        /// Decode the bytes so far.
        var decodes = false
        /// Also show a preview.
        var shows = false
        /// Call ``elapsed(at:)`` after this time.
        var wait: Duration?
    }

    /// The shortest time from one preview to the next.
    let interval: Duration
    private var lastShown: Duration?
    private var hasBytes = false
    private var hasUnshown = false
    private var isBusy = false
    private var isWaiting = false

    init(interval: Duration) { self.interval = interval }

    /// Bytes have come.
    mutating func arrived(at now: Duration) -> Step {
        (hasBytes, hasUnshown) = (true, true)
        return next(now)
    }

    /// The step has ended.
    ///
    /// - Parameters:
    ///   - hasShown: whether it has shown a preview.
    ///   - shows: whether it was to show one. If it was and has not, the next bytes may, without waiting.
    mutating func ended(hasShown: Bool, shows: Bool, at now: Duration) -> Step {
        isBusy = false
        if shows { lastShown = hasShown ? lastShown : nil }
        return next(now)
    }

    /// The time that ``Step/wait`` named is over.
    mutating func elapsed(at now: Duration) -> Step {
        isWaiting = false
        return next(now)
    }

    private mutating func next(_ now: Duration) -> Step {
        guard !isBusy, hasBytes || hasUnshown else { return Step() }
        let rest = lastShown.map { interval - (now - $0) } ?? .zero
        var step = Step()
        step.shows = hasUnshown && rest <= .zero
        step.decodes = hasBytes || step.shows
        if step.shows { (lastShown, hasUnshown) = (now, false) }
        if hasUnshown, !isWaiting { (step.wait, isWaiting) = (rest, true) }
        (isBusy, hasBytes) = (step.decodes, false)
        return step
    }
}
