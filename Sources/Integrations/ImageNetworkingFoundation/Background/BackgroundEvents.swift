/// The words of the system that an app's delegate passes on, and when they are due.
final class BackgroundEvents: Sendable {
    @MainActor private var completions: [() -> Void] = []
    /// All was delivered before anybody asked to be told.
    @MainActor private var isDone = false

    init() {}

    /// Keeps what is to be called when all reports are delivered; calls it at once where they are.
    @MainActor func add(_ completion: @escaping () -> Void) {
        guard isDone else { return completions.append(completion) }
        isDone = false
        completion()
    }

    @MainActor func finish() {
        isDone = completions.isEmpty
        let due = completions
        completions = []
        for completion in due { completion() }
    }
}
