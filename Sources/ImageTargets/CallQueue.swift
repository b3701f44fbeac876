internal import ImageCore

/// The calls that a view has yet to get, in order, and the completion after them: the queue of one binding.
///
/// ``start()`` makes the caller the one runner, unless there is one already. The runner takes a step with ``next()``, carries it out,
/// and only then takes the following one; so calls never overlap.
struct CallQueue: Sendable {
    enum Step: Sendable {
        case call(ViewCall)
        /// The last step of a load. The runner has left the queue when it gets this, so that a completion may begin the next
        /// request.
        case complete(Result<ImageResponse, LoadFailure>)
    }

    private struct Entry {
        let step: Step
        /// Whether it brings what a load has loaded, and not the beginning of a request.
        let isResult: Bool
    }

    private var pending: [Entry] = []
    private var isRunning = false
    /// The argument of the last `setLoading` that a runner took.
    private var isViewLoading = false

    /// Whether no call is pending or being made.
    var isIdle: Bool { pending.isEmpty && !isRunning }

    /// Whether the view shows a sign of loading once all pending calls are made.
    var endsLoading: Bool {
        for entry in pending.reversed() { if case .call(.setLoading(let isLoading)) = entry.step { return isLoading } }
        return isViewLoading
    }

    /// The beginning of a request, or the end of one: nothing older matters any more.
    mutating func replaceAll(by calls: [ViewCall]) {
        pending = calls.map { Entry(step: .call($0), isResult: false) }
    }

    /// A call that stays when the load is cancelled.
    mutating func append(_ call: ViewCall) { pending.append(Entry(step: .call(call), isResult: false)) }

    /// What a load brought. A newer progress or preview takes the place of the pending one, so that a view that is slow does not
    /// fall behind.
    mutating func appendResult(_ call: ViewCall) {
        pending.removeAll { entry in
            if case .call(let older) = entry.step { entry.isResult && older.isReplaced(by: call) } else { false }
        }
        pending.append(Entry(step: .call(call), isResult: true))
    }

    mutating func appendCompletion(_ result: Result<ImageResponse, LoadFailure>) {
        pending.append(Entry(step: .complete(result), isResult: true))
    }

    /// Drops what a load brought and the view did not get. Returns whether a completion was among it.
    mutating func dropResults() -> Bool {
        var hasCompletion = false
        pending.removeAll { entry in
            if case .complete = entry.step { hasCompletion = true }
            return entry.isResult
        }
        return hasCompletion
    }

    /// Whether the caller is the runner from now on.
    mutating func start() -> Bool {
        guard !isRunning, !pending.isEmpty else { return false }
        isRunning = true
        return true
    }

    /// The runner's next step. After a completion or `nil`, the caller is not the runner any more.
    mutating func next() -> Step? {
        guard !pending.isEmpty else {
            isRunning = false
            return nil
        }
        let step = pending.removeFirst().step
        switch step {
        case .call(.setLoading(let isLoading)): isViewLoading = isLoading
        case .call: break
        case .complete: isRunning = false
        }
        return step
    }
}
