internal import ImageCore

/// Where the code runs that starts a step: the step may begin right there instead of waking another thread.
enum Place: Sendable {
    /// On Swift's pool, in a task that has nothing else to do.
    case pool
    /// On Swift's pool, at the end of a fetch.
    case fetched
    /// On one of the loader's worker threads, at the end of a job.
    case worker
    /// On a thread that is not to be held: a caller's, or one that has more to do.
    case elsewhere

    /// Whether a step that needs the resource belongs there.
    func suits(_ resource: ResourceClass) -> Bool {
        switch self {
        case .pool: resource != .worker
        case .fetched, .worker: resource == .worker
        case .elsewhere: false
        }
    }
}

/// What a step is given besides its work and its input.
struct StepStart: Sendable {
    /// The highest of the subscribers', as the step begins.
    let rank: RankClass
    let token: CancellationToken
    let place: Place
    /// Whether the memory that the step takes has been claimed.
    var hasMemoryReservation = false

    /// Runs the step's asynchronous work in a task of its own, which the token cancels.
    func run(_ work: sending @escaping @isolated(any) () async -> Void) {
        let task: Task<Void, Never>
        if place == .pool, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // Up to where it first waits it runs on this thread, which saves the way to another one.
            task = Task.immediate(operation: work)
        } else {
            task = Task(operation: work)
        }
        token.onCancel { task.cancel() }
    }
}

/// The time that one stage of a load takes, with observers told of its begin and its end.
struct StageTimer: Sendable {
    private let stage: LoadStage
    private let plan: LoadPlan
    private let coordinator: any Pipeline.Reporting
    private let began: ContinuousClock.Instant

    // Not inlined: an observation is large, and would be in the frame of every task that keeps time.

    @inline(never)
    init(_ stage: LoadStage, _ plan: LoadPlan, _ coordinator: any Pipeline.Reporting) {
        coordinator.observe(.stageBegan(stage), plan)
        (self.stage, self.plan, self.coordinator) = (stage, plan, coordinator)
        began = ContinuousClock.now
    }

    /// Ends the stage; to be called once.
    @inline(never)
    @discardableResult
    func end() -> Duration {
        let time = ContinuousClock.now - began
        coordinator.observe(.stageEnded(stage, time), plan)
        return time
    }
}
