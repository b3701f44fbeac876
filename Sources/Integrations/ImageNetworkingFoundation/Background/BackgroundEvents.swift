/// The completions that the system gives the app's delegate, called when it has delivered all reports.
final class BackgroundEvents: Sendable {
    @MainActor private var completions: [() -> Void] = []
    /// All reports were delivered before a completion was added.
    @MainActor private var isDone = false

    init() {}

    /// Adds a completion; calls it at once when all reports are delivered already.
    @MainActor func add(_ completion: @escaping () -> Void) {
        guard isDone else { return completions.append(completion) }
        isDone = false
        completion()
    }

    /// All reports are delivered.
    @MainActor func finish() {
        isDone = completions.isEmpty
        let due = completions
        completions = []
        for completion in due { completion() }
    }
}
