internal import CalotypeSystem
internal import Dispatch
internal import ImageCore

/// The threads of a server and the sockets of its connections.
final class ServerThreads: Sendable {
    private struct State {
        var sockets: Set<Int32> = []
        var isStopped = false
    }

    private let state = Lock(State())
    private let running = DispatchGroup()

    /// Starts a thread. Returns whether the system provided one.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        running.enter()
        let isStarted = DetachedThread.start(stackBytes: 512 << 10, blocksBrokenPipes: true) { [running] in
            body()
            running.leave()
        }
        if !isStarted { running.leave() }
        return isStarted
    }

    /// Returns when all threads have ended.
    func wait() { running.wait() }

    /// Adds the socket of a connection, unless the server is stopped.
    func add(_ socket: Int32) -> Bool {
        state.withLock { state in
            if !state.isStopped { state.sockets.insert(socket) }
            return !state.isStopped
        }
    }

    func close(_ socket: Int32) {
        // Remove the socket before closing it: the system may reuse its number, and `stop` must not shut down another
        // file's descriptor.
        state.withLock { _ = $0.sockets.remove(socket) }
        _ = CalotypeSystem.close(socket)
    }

    func shutDownSockets() {
        state.withLock { state in
            state.isStopped = true
            for socket in state.sockets { _ = shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }
}
