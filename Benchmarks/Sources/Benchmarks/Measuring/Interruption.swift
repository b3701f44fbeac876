internal import Dispatch
internal import Foundation

/// Removes the temporary folders when the run is interrupted, and ends the process. The programs that a benchmark runs
/// receive Ctrl-C from the terminal too.
struct Interruption {
    private let sources: [any DispatchSourceSignal]

    /// Begins to watch for Ctrl-C and termination.
    init() {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
            source.setEventHandler {
                ChildProcess.terminateAll()
                ScratchFolder.removeAll()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    func end() { for source in sources { source.cancel() } }
}
