#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    internal import Foundation
    #if canImport(UIKit) && !os(watchOS)
        internal import UIKit
    #endif
    #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        internal import AppKit
    #endif
    #if canImport(WatchKit) && !os(iOS)
        internal import WatchKit
    #endif

    /// What the system tells an app that its animations depend on.
    enum AppEvent: Sendable {
        /// The user's preference for reduced motion may have changed.
        case motionPreference
        case background, foreground

        /// Calls a closure for each event, until the observers are released.
        ///
        /// There are no events of the background on macOS, where each window tells whether it is covered, and on watchOS, which suspends
        /// apps in the background.
        @MainActor static func observe(_ body: @escaping @MainActor @Sendable (AppEvent) -> Void) -> [NotificationObserver] {
            var observers: [NotificationObserver] = []
            #if canImport(UIKit) && !os(watchOS)
                observers += [
                    NotificationObserver(UIAccessibility.reduceMotionStatusDidChangeNotification) { body(.motionPreference) },
                    NotificationObserver(UIApplication.didEnterBackgroundNotification) { body(.background) },
                    NotificationObserver(UIApplication.willEnterForegroundNotification) { body(.foreground) },
                ]
            #endif
            #if canImport(AppKit) && !targetEnvironment(macCatalyst)
                let center = NSWorkspace.shared.notificationCenter
                let options = NSWorkspace.accessibilityDisplayOptionsDidChangeNotification
                observers.append(NotificationObserver(options, in: center) { body(.motionPreference) })
            #endif
            #if canImport(WatchKit) && !os(iOS)
                observers.append(NotificationObserver(.WKAccessibilityReduceMotionStatusDidChange) { body(.motionPreference) })
            #endif
            return observers
        }
    }

    /// Calls a closure on the main actor for each notification of a name, until the observer is released.
    // @unchecked because the token is set once and read only in `deinit`.
    final class NotificationObserver: @unchecked Sendable {
        private let center: NotificationCenter
        private let token: any NSObjectProtocol

        /// - Parameter sender: the only sender to observe; `nil` for all.
        init(
            _ name: Notification.Name, from sender: AnyObject? = nil, in center: NotificationCenter = .default,
            _ body: @escaping @MainActor @Sendable () -> Void
        ) {
            self.center = center
            // A sender need not be on the main thread. The main actor runs the tasks in order.
            token = center.addObserver(forName: name, object: sender, queue: nil) { _ in Task { @MainActor in body() } }
        }

        deinit { center.removeObserver(token) }
    }
#endif
