#if canImport(Darwin)
    internal import Dispatch

    /// Watches the system's memory pressure source and UIKit's notifications.
    // @unchecked because both members are set once and are safe to use from any thread.
    final class MemoryPressureWatch: @unchecked Sendable {
        private let source: any DispatchSourceMemoryPressure
        private let notices: AppNotices

        init?(onPressure: @escaping @Sendable (MemoryPressure) -> Void) {
            let source = DispatchSource.makeMemoryPressureSource(
                eventMask: [.warning, .critical], queue: DispatchQueue(label: "calotype.memory-pressure"))
            self.source = source
            notices = AppNotices(onPressure: onPressure)
            source.setEventHandler { [weak source] in
                guard let event = source?.data else { return }
                onPressure(event.contains(.critical) ? .critical : .warning)
            }
            source.activate()
        }

        deinit { source.cancel() }
    }
#endif
