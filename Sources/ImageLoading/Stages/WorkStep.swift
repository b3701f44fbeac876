internal import ImageCore

/// What a piece of work does next: the pipeline says so, and the coordinator carries it out.
///
/// Work that waits, for other work or for a slot, is no more than the closure that follows: thousands of loads may wait, and a
/// suspended task for each would take several times the memory of everything else that is kept of a load.
enum WorkStep: Sendable {
    /// The work has its result.
    case finished(WorkResult)
    /// The work has failed with an error of a stage.
    case failed(any Error, LoadStage)
    /// The work needs the result of other work.
    case needs(Need)
    /// A stage runs.
    case stage(Stage)

    /// The result of other work.
    struct Need: Sendable {
        let key: WorkKey
        /// Set for a decode to a size.
        var scale: DecodeScale?
        /// Begins the other work, where it is new.
        let begin: @Sendable (SharedWork) throws -> WorkStep
        /// Continues with the result. A decode that shares its bytes with a decode to a larger size gets the image of that size.
        let then: @Sendable (WorkResult) throws -> WorkStep
    }

    /// A stage, what it occupies while it runs, and what follows.
    struct Stage: Sendable {
        enum Body: Sendable {
            /// Runs in a new task, which the closure starts.
            ///
            /// - Parameter isNext: whether the stage has not waited for its slot.
            case task(@Sendable (_ runner: StageRunner, _ isNext: Bool) -> Task<Void, Never>)
            /// Runs on a worker thread.
            ///
            /// - Parameter bytes: computes there how much memory the stage takes. If there is not enough, the stage gives its slot
            ///   back, and waits for a slot and the memory.
            case worker(bytes: (@Sendable () -> Int)?, @Sendable (StageRunner) -> Void)
        }

        /// `nil` for a step that observers do not see.
        let name: LoadStage?
        let resource: ResourceClass
        var body: Body
        /// The memory that the stage takes, in bytes, once it is known.
        var bytes = 0
        /// How long the stage has waited.
        var waited = Duration.zero
    }

    /// A stage that runs in a task.
    ///
    /// - Parameters:
    ///   - body: the stage.
    ///   - then: the step that follows, from the output of the stage.
    @inline(__always)
    static func task<Output: Sendable>(
        _ name: LoadStage?, on resource: ResourceClass, _ body: @escaping @Sendable () async throws -> Output,
        then: @escaping @Sendable (Output, StageTimes) throws -> WorkStep
    ) -> WorkStep {
        let body = Stage.Body.task { runner, isNext in
            runner.makeTask(isNext: isNext) {
                guard let waited = runner.begin() else { return }
                do {
                    let output = try await body()
                    runner.succeed(after: waited) { try then(output, $0) }
                } catch {
                    runner.fail(error, after: waited)
                }
            }
        }
        return .stage(Stage(name: name, resource: resource, body: body))
    }

    /// A stage that runs on a worker thread.
    ///
    /// - Parameters:
    ///   - bytes: how much memory the stage takes.
    ///   - body: the stage.
    ///   - then: the step that follows, from the output of the stage.
    @inline(__always)
    static func worker<Output: Sendable>(
        _ name: LoadStage, bytes: (@Sendable () -> Int)? = nil, _ body: @escaping @Sendable () throws -> Output,
        then: @escaping @Sendable (Output, StageTimes) throws -> WorkStep
    ) -> WorkStep {
        let body = Stage.Body.worker(bytes: bytes) { runner in
            guard let waited = runner.begin() else { return }
            do {
                let output = try body()
                runner.succeed(after: waited) { try then(output, $0) }
            } catch {
                runner.fail(error, after: waited)
            }
        }
        return .stage(Stage(name: name, resource: .worker, body: body))
    }
}

/// How long a stage waited and worked.
struct StageTimes: Sendable {
    var waiting = Duration.zero
    var working = Duration.zero
}
