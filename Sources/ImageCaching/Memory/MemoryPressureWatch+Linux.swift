internal import CalotypeSystem

#if !canImport(Darwin)
    /// Watches for memory pressure on a separate thread, which sleeps in `poll`.
    ///
    /// There are two sources; each is skipped if it is missing or not permitted:
    /// - Pressure stall information (Documentation/accounting/psi.rst) of the machine and of the control group: a
    ///   trigger is written to the file, and `poll` returns `POLLPRI` when tasks waited for memory for that share of a
    ///   window. Windows of two seconds are the shortest that the kernel allows to unprivileged processes.
    /// - `memory.events` of the control groups (version 2): `poll` returns `POLLPRI` when one of its counters grows, so
    ///   that a container at its limit is noticed while the machine has free memory.
    final class MemoryPressureWatch: Sendable {
        private struct Source: Sendable {
            enum Kind: Sendable {
                case trigger(MemoryPressure)
                case events(path: String)
            }
            var descriptor: Int32
            var kind: Kind
        }

        /// The end of a pipe; closing it ends the thread.
        private let stop: Int32

        /// Starts to watch; `nil` if there is nothing to watch.
        ///
        /// - Parameter root: the directory that contains `/proc` and `/sys`; empty for the system's root.
        init?(root: String = "", onPressure: @escaping @Sendable (MemoryPressure) -> Void) {
            let groups = ControlGroups(process: SmallFile.text(at: root + "/proc/self/cgroup") ?? "").unified.map { root + $0 }
            var sources: [Source] = []
            for file in [root + "/proc/pressure/memory"] + groups.prefix(1).map({ $0 + "/memory.pressure" }) {
                // Some task waited for 150 ms of 2 s; all tasks waited for 200 ms of 2 s.
                for (trigger, pressure) in [("some 150000 2000000", MemoryPressure.warning), ("full 200000 2000000", .critical)] {
                    if let descriptor = Self.openTrigger(file, trigger) {
                        sources.append(Source(descriptor: descriptor, kind: .trigger(pressure)))
                    }
                }
            }
            for group in groups.prefix(8) {
                let path = group + "/memory.events"
                let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                if descriptor >= 0 { sources.append(Source(descriptor: descriptor, kind: .events(path: path))) }
            }
            var ends: [Int32] = [-1, -1]
            let hasPipe = unsafe pipe(&ends) == 0
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            guard hasPipe, !sources.isEmpty else {
                if hasPipe { for end in ends { _ = close(end) } }
                for source in sources { _ = close(source.descriptor) }
                return nil
            }
            stop = ends[1]
            let wake = ends[0]
            let watched = sources
            // A dispatch queue would lose a thread to a loop that never returns.
            let isRunning = DetachedThread.start(stackBytes: 256 << 10) { Self.watch(watched, until: wake, onPressure) }
            if !isRunning { for descriptor in watched.map(\.descriptor) + [wake] { _ = close(descriptor) } }
        }

        deinit { _ = close(stop) }

        private static func openTrigger(_ path: String, _ trigger: String) -> Int32? {
            let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            // The kernel requires the terminating zero.
            let bytes = Array(trigger.utf8) + [0]
            if unsafe write(descriptor, bytes, bytes.count) == bytes.count { return descriptor }
            _ = close(descriptor)
            return nil
        }

        private static func watch(_ sources: [Source], until wake: Int32, _ onPressure: (MemoryPressure) -> Void) {
            var polled = sources.map { pollfd(fd: $0.descriptor, events: Int16(POLLPRI), revents: 0) }
            polled.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0))
            var events = sources.map { source in
                if case .events(let path) = source.kind { MemoryEvents(SmallFile.text(at: path) ?? "") } else { MemoryEvents("") }
            }
            while true {
                let count = unsafe poll(&polled, nfds_t(polled.count), -1)
                if count < 0, errno == EINTR { continue }
                if count < 0 || polled[sources.count].revents != 0 { break }
                var worst: MemoryPressure?
                for (i, source) in sources.enumerated() where polled[i].revents != 0 {
                    let happened = Int32(polled[i].revents)
                    switch source.kind {
                    case .trigger(let pressure):
                        if happened & Int32(POLLPRI) != 0 { worst = max(worst ?? pressure, pressure) }
                        // The control group was removed.
                        if happened & Int32(POLLERR | POLLNVAL) != 0 { polled[i].fd = -1 }
                    case .events(let path):
                        // Reading from the start re-arms `poll` for the next change.
                        var byte: UInt8 = 0
                        _ = unsafe pread(source.descriptor, &byte, 1, 0)
                        guard let text = SmallFile.text(at: path) else {
                            polled[i].fd = -1
                            continue
                        }
                        let now = MemoryEvents(text)
                        if let pressure = now.pressure(since: events[i]) { worst = max(worst ?? pressure, pressure) }
                        events[i] = now
                    }
                }
                if let worst { onPressure(worst) }
            }
            for source in sources { _ = close(source.descriptor) }
            _ = close(wake)
        }
    }
#endif
