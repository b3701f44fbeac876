internal import ImageCore

/// The interceptors of loads.
extension LoadCoordinator {
    /// Replaces a request as its interceptors say, if they do no more than that. Otherwise the load is theirs, unless
    /// it is for no image.
    func rewrite(_ request: inout ImageRequest, _ merged: inout MergedOptions, _ goal: inout LoadGoal) throws(LoadFailure) {
        let interceptors = merged.options.loadInterceptors
        let rewriters = interceptors.compactMap { $0 as? any RequestRewriting }
        guard rewriters.count == interceptors.count else {
            if goal == .image { goal = .intercepted }
            return
        }
        for rewriter in rewriters {
            request = rewriter.request(for: request, size: goal.hasSize ? merged.options.targetSize : nil)
            merged = try merge(request, control.withLock { $0.defaults })
        }
    }

    /// Whether a load has interceptors that do more than replace its request.
    func runsInterceptors(_ plan: LoadPlan) -> Bool {
        !plan.options.loadInterceptors.allSatisfy { $0 is any RequestRewriting }
    }

    /// Runs the interceptors of a load, which ends with what they return.
    func intercept(_ task: ImageTask) {
        intercepted.withLock { $0[task.id] = task }
        let run = Task { await runInterceptors(of: task) }
        task.whenEnded { [self] in
            run.cancel()
            intercepted.withLock { $0[task.id] = nil }
        }
        if control.withLock({ $0.isClosed }) { task.cancel() }
    }

    private func runInterceptors(of task: ImageTask) async {
        do {
            let response = try await load(task.request, through: task.plan.options.loadInterceptors[...], for: task)
            var metrics = response.metrics
            metrics.total = task.elapsed
            task.finish(.success(LoadOutput(.image(StagedImage(response.image, tier: response.tier)), metrics)))
        } catch {
            if let error = error.error { task.fail(error) } else { task.finish(.failure(error)) }
        }
    }

    private func load(
        _ request: ImageRequest, through interceptors: ArraySlice<any LoadInterceptor>, for task: ImageTask
    ) async throws(LoadFailure) -> ImageResponse {
        guard let interceptor = interceptors.first else { return try await loadPart(request, of: task) }
        let size = try merge(request, control.withLock { $0.defaults }).options.targetSize
        do {
            return try await interceptor.intercept(request, size: size) { [self] (request) async throws(LoadFailure) in
                try await load(request, through: interceptors.dropFirst(), for: task)
            }
        } catch {
            if let failure = error as? LoadFailure { throw failure }
            if error is CancellationError, Task.isCancelled { throw .cancelled }
            throw .failed(.wrapping(error, stage: .request, source: request.description))
        }
    }

    /// Loads what the last interceptor asks for. Its events become those of the load.
    private func loadPart(_ request: ImageRequest, of task: ImageTask) async throws(LoadFailure) -> ImageResponse {
        let plan = try plan(request, within: task.plan)
        let part = ImageTask(plan, wantsProgress: task.wantsProgress, isPart: true, coordinator: self, onEvent: nil)
        task.attach(part)
        defer { task.detach(part) }
        guard !part.hasEnded else { throw .cancelled }
        part.startDeadline()
        begin(part, components.lookUpMemory(plan))
        await withTaskCancellationHandler {
            for await event in part.events { task.pass(event) }
        } onCancel: {
            part.cancel()
        }
        return try part.ending.get()
    }
}
