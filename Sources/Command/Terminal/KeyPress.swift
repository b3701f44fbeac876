internal import CalotypeSystem
internal import ImageCore

/// Keys that the user presses while the command shows something.
enum KeyPress {
    /// Waits until a key is pressed on the terminal, the terminal is gone, or the task is cancelled. Keys are not
    /// echoed meanwhile. Without a terminal, it waits until the task is cancelled.
    static func wait() async {
        guard let terminal = ExitCleanup.rawTerminal() else {
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
            return
        }
        let isCancelled = Lock(false)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isStarted = DetachedThread.start {
                    while !isCancelled.withLock({ $0 }), terminal.read(within: .milliseconds(50)) == nil {}
                    ExitCleanup.restoreTerminal()
                    continuation.resume()
                }
                guard !isStarted else { return }
                ExitCleanup.restoreTerminal()
                continuation.resume()
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }
}
