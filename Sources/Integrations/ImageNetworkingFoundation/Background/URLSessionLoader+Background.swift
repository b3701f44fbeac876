internal import Foundation
public import ImageCore

extension URLSessionLoader {
    /// Fetches prefetches by a background session of the system, which continues while the app is suspended, and after
    /// the system has ended it.
    ///
    /// It fetches requests of prefetchers by `GET` whose header fields are all neutral (such as `Accept`), and which
    /// caches may serve and store. A background session follows all redirects, so it never gets a field that may be a
    /// credential. A foreground session sends all other requests.
    ///
    /// A prefetch waits for its transfer. When ``DataRequest/timeout`` or the deadline ends that wait, the transfer
    /// continues; when the last waiting load is cancelled, the transfer is cancelled too. A finished body for which no
    /// load waits goes into ``store``: the next load of the same request gets it from there without the network. A load
    /// that is not a prefetch never waits for a running transfer: a foreground session sends it.
    ///
    /// On Apple platforms only; elsewhere the option has no effect. It is not for app extensions, which need a
    /// container that they share with their app.
    ///
    /// ```swift
    /// let cache = DiskCache()
    /// var configuration = URLSessionLoader.Configuration()
    /// configuration.background = URLSessionLoader.BackgroundOptions(identifier: "org.example.app.images", store: cache)
    /// let loader = URLSessionLoader(configuration)
    /// ```
    public struct BackgroundOptions: Sendable {
        /// Identifies the session to the system: the same at each launch, and unique in the app. Loaders with the same
        /// identifier share its transfers, and use the options of the first.
        public var identifier: String
        /// Whether the system may wait for a good time, such as Wi-Fi and power; `false` by default. Use it for
        /// prefetches that are not needed soon: others would end by their time limit. Transfers that start while the
        /// app is in the background wait in any case.
        public var isDiscretionary = false
        /// Keeps the finished bodies for which no load waits, within its own limits, until a load takes them: the
        /// loader's data cache, or another one.
        public var store: any DataCaching
        /// How long a transfer may take; 3 days.
        public var maximumTransferTime: Duration = .seconds(3 * 86_400)

        /// Makes options with the defaults.
        public init(identifier: String, store: any DataCaching) { (self.identifier, self.store) = (identifier, store) }
    }

    /// Handles the call of the app's delegate after background transfers have ended without the app. Make the loader,
    /// with its ``Configuration/background``, before this call.
    ///
    /// ```swift
    /// @MainActor
    /// final class AppDelegate {
    ///     let loader = URLSessionLoader()
    ///
    ///     // As UIApplicationDelegate has it, after the application itself.
    ///     func application(handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping () -> Void) {
    ///         loader.handleBackgroundEvents(identifier: identifier, completion: completionHandler)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: the identifier of the session.
    ///   - completion: called on the main actor once the finished bodies are in ``BackgroundOptions/store``; not
    ///     called when the identifier is not this loader's.
    /// - Returns: whether the identifier is this loader's.
    @discardableResult @MainActor
    public func handleBackgroundEvents(identifier: String, completion: @escaping () -> Void) -> Bool {
        guard let background, identifier == configuration.background?.identifier else { return false }
        background.events.add(completion)
        return true
    }
}
