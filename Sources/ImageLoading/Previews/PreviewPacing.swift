/// When bytes that have come are decoded, and when something of them is shown: a value that takes the time and returns
/// what to do.
///
/// One step at a time is under way, and it takes everything that has come until it begins: what comes meanwhile waits for
/// the next one, however many pieces it has. Shown is at most one image in an interval, the first at once. What was held
/// back is shown when the interval is over, without waiting for further bytes.
struct PreviewPacing: Hashable, Sendable {
    /// Independent effects.
    struct Step: Hashable, Sendable {
        /// Decode what has come.
        var decodes = false
        /// And show what can be seen of it.
        var shows = false
        /// Come back after this time.
        var wait: Duration?
    }

    /// From one preview to the next, at least.
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

    /// The step is over.
    ///
    /// - Parameter hasShown: whether it has shown an image; where it should have and has not, the next bytes may.
    mutating func ended(hasShown: Bool, shows: Bool, at now: Duration) -> Step {
        isBusy = false
        if shows { lastShown = hasShown ? lastShown : nil }
        return next(now)
    }

    /// The time that was to be waited is over.
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
