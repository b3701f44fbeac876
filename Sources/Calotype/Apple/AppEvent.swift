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
    enum AppEvent {
        /// Calls closures for each event, until the observers are released.
        ///
        /// There are no events of the background on macOS, where each window tells whether it is covered, and on
        /// watchOS, which suspends apps in the background.
        ///
        /// - Parameters:
        ///   - motionPreference: called when the user's preference for reduced motion may have changed.
        ///   - background: called when the app goes to the background (`true`) or comes back.
        @MainActor static func observe(
            motionPreference: @escaping @MainActor @Sendable () -> Void,
            background: @escaping @MainActor @Sendable (Bool) -> Void
        ) -> [NotificationObserver] {
            var observers: [NotificationObserver] = []
            #if canImport(UIKit) && !os(watchOS)
                observers += [
                    NotificationObserver(UIAccessibility.reduceMotionStatusDidChangeNotification, motionPreference),
                    NotificationObserver(UIApplication.didEnterBackgroundNotification) { background(true) },
                    NotificationObserver(UIApplication.willEnterForegroundNotification) { background(false) },
                ]
            #endif
            #if canImport(AppKit) && !targetEnvironment(macCatalyst)
                let center = NSWorkspace.shared.notificationCenter
                let options = NSWorkspace.accessibilityDisplayOptionsDidChangeNotification
                observers.append(NotificationObserver(options, in: center, motionPreference))
            #endif
            #if canImport(WatchKit) && !os(iOS)
                observers.append(NotificationObserver(.WKAccessibilityReduceMotionStatusDidChange, motionPreference))
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
