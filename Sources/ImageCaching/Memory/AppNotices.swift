#if canImport(Darwin) || canImport(UIKit)
    internal import Foundation
    #if canImport(UIKit) && !os(watchOS)
        internal import UIKit
    #endif

    /// UIKit's notifications about memory: memory warnings, and that the app entered the background.
    // @unchecked because the observers are set once and read only in `deinit`.
    final class AppNotices: @unchecked Sendable {
        private let observers: [any NSObjectProtocol]

        init(onPressure: @escaping @Sendable (MemoryPressure) -> Void) {
            #if canImport(UIKit) && !os(watchOS)
                let notices = [
                    (UIApplication.didReceiveMemoryWarningNotification, MemoryPressure.critical),
                    (UIApplication.didEnterBackgroundNotification, .background),
                ]
            #else
                let notices: [(Notification.Name, MemoryPressure)] = []
            #endif
            observers = notices.map { name, pressure in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in onPressure(pressure) }
            }
        }

        deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    }
#endif
