internal import ImageCore
internal import ImageLoading

/// Writes the events of all loads of a run to a trace file, which ui.perfetto.dev opens.
struct LoadTrace {
    let observer: TraceObserver
    private let path: String

    /// Creates or replaces the file. If it cannot be written, reports that and throws the exit status.
    init(_ path: String) throws(ExitStatus) {
        self.path = path
        do {
            observer = try TraceObserver(path: path)
        } catch {
            Console.printError(Failures.message(for: error), source: path)
            throw .failed
        }
    }

    /// Writes the remaining events. An incomplete trace counts as a failure.
    func finish(_ failures: inout Failures) {
        observer.flush()
        if let failure = observer.failure { return failures.report(failure, source: path) }
        let dropped = observer.droppedEvents
        guard dropped > 0 else { return }
        let message = "The trace has reached its maximum size, and \(dropped) events are missing. Load fewer images in one run."
        failures.report(ImageError(.fileUnwritable, message: message), source: path)
    }
}
