internal import ImageCore

/// Measures the time that one stage of a load takes, and tells the observers of its beginning and its end.
struct StageTimer: Sendable {
    private let stage: LoadStage
    private let plan: LoadPlan
    private let coordinator: any Pipeline.Reporting
    private let began: ContinuousClock.Instant

    init(_ stage: LoadStage, _ plan: LoadPlan, _ coordinator: any Pipeline.Reporting) {
        coordinator.observe(.stageBegan(stage), plan)
        (self.stage, self.plan, self.coordinator) = (stage, plan, coordinator)
        began = ContinuousClock.now
    }

    /// Ends the stage; to be called once.
    @discardableResult
    func end() -> Duration {
        let time = ContinuousClock.now - began
        coordinator.observe(.stageEnded(stage, time), plan)
        return time
    }
}
