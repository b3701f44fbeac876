#if canImport(Darwin)
    internal import Dispatch
    internal import Foundation
    #if canImport(UIKit) && !os(watchOS)
        internal import UIKit
    #endif

    /// Listens to the system's memory pressure source, and to apps that go to the background.
    // @unchecked because both members are set once, and safe to use from any thread.
    final class MemoryPressureWatch: @unchecked Sendable {
        private let source: any DispatchSourceMemoryPressure
        private var observer: (any NSObjectProtocol)?

        init?(onPressure: @escaping @Sendable (MemoryPressure) -> Void) {
            let source = DispatchSource.makeMemoryPressureSource(
                eventMask: [.warning, .critical], queue: DispatchQueue(label: "calotype.memory-pressure"))
            self.source = source
            source.setEventHandler { [weak source] in
                guard let event = source?.data else { return }
                onPressure(event.contains(.critical) ? .critical : .warning)
            }
            source.activate()
            #if canImport(UIKit) && !os(watchOS)
                observer = NotificationCenter.default.addObserver(
                    forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
                ) { _ in onPressure(.background) }
            #endif
        }

        deinit {
            source.cancel()
            if let observer { NotificationCenter.default.removeObserver(observer) }
        }
    }
#endif
