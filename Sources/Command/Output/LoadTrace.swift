internal import ImageCore
internal import ImageLoading

/// The trace of a run: what happened to each load, as a file for Perfetto.
struct LoadTrace {
    let observer: TraceObserver
    private let path: String

    /// Makes the file, or replaces it. Ends the command with one line on standard error when it cannot be written.
    init(_ path: String) throws(ExitStatus) {
        self.path = path
        do {
            observer = try TraceObserver(path: path)
        } catch {
            Console.complain(about: path, Failures.sentence(error))
            throw .failed
        }
    }

    /// Writes the rest. Counts as a failure when the trace is not whole.
    func finish(_ failures: inout Failures) {
        observer.flush()
        if let failure = observer.failure { return failures.add(path, failure) }
        let dropped = observer.droppedEvents
        guard dropped > 0 else { return }
        let message = "The trace has reached its largest size; \(dropped) events are missing. Load fewer images at once."
        failures.add(path, ImageError(.fileUnwritable, message: message))
    }
}
