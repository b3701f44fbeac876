internal import ImageCore

/// The queue of one binding: the calls that are still to be made to the view, in order, and the completion after them.
///
/// ``start()`` makes its caller the queue's only runner, unless there is one already. The runner takes a step with
/// ``next()``, executes it, and only then takes the next one. Therefore calls never overlap.
///
/// Before an image, the runner gets the calls that ask the view how to show it, and passes the answers to
/// ``receive(_:)``.
struct CallQueue: Sendable {
    enum Step: Sendable {
        case call(ViewCall)
        /// Plays the animation of the image that the call before has set, with the badge drawn into the frames.
        case animate(DecodedImage, badge: CacheTier?)
        /// The last step of a load. Taking it ends the run, so that the completion may begin the next request.
        case complete(Result<ImageResponse, LoadFailure>)
        /// Asks the view whether motion is reduced, after the calls before.
        case updateMotion
        /// Asks the view for its size, after the calls before.
        case updateSize
    }

    private struct Entry {
        let step: Step
        /// Whether the step delivers something that the load produced. Other steps belong to the start of a request.
        let isResult: Bool
        /// Whether the view was asked how to show the image of the call.
        var isPrepared = false
    }

    private var pending: [Entry] = []
    /// Whether a runner makes a call.
    private(set) var isRunning = false
    /// The argument of the last `setLoading` call that a runner took.
    private var isViewLoading = false
    /// Whether the last call that a runner took to change what the view shows has set an image, no sign of a failure.
    private(set) var showsImage = false
    /// What the view answered last.
    private(set) var (isMotionReduced, showsBadges) = (false, false)

    /// Whether no call is pending and no runner makes one.
    var isIdle: Bool { pending.isEmpty && !isRunning }

    /// The next call to the view; `nil` if none is pending or a completion comes first.
    var nextCall: ViewCall? {
        for entry in pending {
            switch entry.step {
            case .call(let call): return call
            case .complete: return nil
            case .animate, .updateMotion, .updateSize: continue
            }
        }
        return nil
    }

    /// Whether the view will show its loading indicator after all pending calls.
    var willShowLoading: Bool {
        for entry in pending.reversed() { if case .call(.setLoading(let isLoading)) = entry.step { return isLoading } }
        return isViewLoading
    }

    /// Whether a pending call makes the view show something else.
    var willChangeImage: Bool {
        pending.contains { if case .call(let call) = $0.step { call.changesImage } else { false } }
    }

    /// Replaces all pending steps: a request began or ended, so that older steps are stale.
    mutating func replaceAll(by calls: [ViewCall]) {
        pending = calls.map { Entry(step: .call($0), isResult: false) }
    }

    /// Adds a call that stays in the queue if the load is cancelled.
    mutating func append(_ call: ViewCall) { pending.append(Entry(step: .call(call), isResult: false)) }

    /// Changes the badge of the image that the view shows; draws it into the image where the view shows no badges.
    mutating func append(badge: CacheTier?, of image: DecodedImage) {
        append(showsBadges ? .setTierBadge(badge) : .setImage(image, .none, badge: badge))
    }

    /// Adds the call that shows a placeholder, or nothing.
    mutating func append(_ placeholder: Placeholder) {
        if case .none = placeholder { append(.clear) } else { append(.setPlaceholder(placeholder)) }
    }

    /// Adds a call before all others that is dropped if the load is cancelled.
    mutating func prepend(_ call: ViewCall) { pending.insert(Entry(step: .call(call), isResult: true), at: 0) }

    mutating func appendMotionUpdate() { pending.append(Entry(step: .updateMotion, isResult: false)) }

    /// Asks the view for its size, once for all changes that come while it is called.
    mutating func appendSizeUpdate() {
        pending.removeAll { if case .updateSize = $0.step { true } else { false } }
        pending.append(Entry(step: .updateSize, isResult: false))
    }

    /// Adds a call that delivers something that the load produced. Progress and previews replace pending ones, so that
    /// a slow view does not fall behind.
    mutating func appendResult(_ call: ViewCall) {
        pending.removeAll { entry in
            if case .call(let older) = entry.step { entry.isResult && older.isReplaced(by: call) } else { false }
        }
        pending.append(Entry(step: .call(call), isResult: true))
    }

    mutating func appendCompletion(_ result: Result<ImageResponse, LoadFailure>) {
        pending.append(Entry(step: .complete(result), isResult: true))
    }

    /// Drops the pending calls of an animation that has stopped.
    mutating func dropAnimation() {
        pending.removeAll { if case .call(let call) = $0.step { call.isOfAnimation } else { false } }
    }

    /// Drops all pending steps that deliver something that the load produced. Returns whether a completion was among
    /// them.
    mutating func dropResults() -> Bool {
        var hasCompletion = false
        pending.removeAll { entry in
            if case .complete = entry.step { hasCompletion = true }
            return entry.isResult
        }
        return hasCompletion
    }

    /// Makes the caller the runner if there are steps and no other runner. Returns whether it did.
    mutating func start() -> Bool {
        guard !isRunning, !pending.isEmpty else { return false }
        isRunning = true
        return true
    }

    /// Takes the runner's next step. A completion or `nil` ends the run.
    mutating func next() -> Step? {
        guard !pending.isEmpty else {
            isRunning = false
            return nil
        }
        let entry = pending.removeFirst()
        switch entry.step {
        case .call(.setImage(let image, let transition, let badge)):
            let isAnimated = image.animation != nil && !image.isPreview
            guard entry.isPrepared else {
                pending.insert(Entry(step: entry.step, isResult: true, isPrepared: true), at: 0)
                prepend(.setTierBadge(badge))
                if isAnimated || transition != .none { prepend(.prefersReducedMotion) }
                return next()
            }
            showsImage = true
            let drawnBadge = showsBadges ? nil : badge
            if isAnimated { pending.insert(Entry(step: .animate(image, badge: drawnBadge), isResult: true), at: 0) }
            return .call(.setImage(image, isMotionReduced ? .none : transition, badge: drawnBadge))
        case .call(.setLoading(let isLoading)): isViewLoading = isLoading
        case .call(.clear), .call(.setPlaceholder), .call(.setFailure): showsImage = false
        case .call, .animate, .updateMotion, .updateSize: break
        case .complete: isRunning = false
        }
        return entry.step
    }

    /// Handles what the last call returned.
    mutating func receive(_ answer: ViewCall.Answer) {
        switch answer {
        case .isMotionReduced(let isReduced): isMotionReduced = isReduced
        case .showsBadges(let shows): showsBadges = shows
        case .nothing, .size: break
        }
    }
}
