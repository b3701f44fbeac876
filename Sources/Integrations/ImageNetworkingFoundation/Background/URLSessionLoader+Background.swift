internal import Foundation
public import ImageCore

extension URLSessionLoader {
    /// Has prefetches fetched by a background session of the system's, which goes on while the app is suspended, and after
    /// the system has ended it.
    ///
    /// What goes that way are requests that a prefetcher makes, by `GET`, whose header fields are all neutral (such as `Accept`),
    /// and which caches may answer and keep. A background session follows redirects without asking, so that nothing that may
    /// be a credential is given to it. Every other request goes the usual way.
    ///
    /// A prefetch waits for its transfer. When ``DataRequest/timeout`` or the deadline ends that wait, the transfer continues; when
    /// the last waiting load is cancelled, the transfer is cancelled too. A finished body is kept in ``folder`` until it was read:
    /// the next load of the same request is answered from there without the network. A load that is no prefetch joins
    /// a transfer whose bytes come in, and overtakes one that the system has not begun.
    ///
    /// On Apple platforms only; elsewhere the option is without effect. Not meant for app extensions, which need a container that
    /// they share with their app.
    ///
    /// ```swift
    /// var configuration = URLSessionLoader.Configuration()
    /// configuration.background = URLSessionLoader.Background(identifier: "org.example.app.pictures")
    /// let loader = URLSessionLoader(configuration)
    /// ```
    public struct Background: Sendable {
        /// What the system knows the session by: the same at each launch, and no other session's of the app. Loaders of one
        /// identifier share its transfers, and the options of the first.
        public var identifier: String
        /// Whether the system may wait for a good time, such as Wi-Fi and power; `false`. For prefetches that are not needed
        /// soon: the others would end by their time limit. What begins while the app is in the background waits in any case.
        public var isDiscretionary = false
        /// Where finished bodies wait for the load that reads them, for the loader alone. In the user's cache directory by
        /// default; the system may empty it.
        public var folder =
            FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
            .first.map { $0.appending(path: "calotype-background", directoryHint: .isDirectory) }
            ?? FileManager.default.temporaryDirectory.appending(path: "calotype-background", directoryHint: .isDirectory)
        /// The bytes that may wait there, the oldest of which go first; 100 MB.
        public var maximumBytes = 100_000_000
        /// How long they may wait, and how long a transfer may take; 3 days.
        public var maximumAge: Duration = .seconds(3 * 86_400)

        public init(identifier: String) { self.identifier = identifier }
    }

    /// Takes over what the system tells the app's delegate when background transfers have ended without the app. The loader must
    /// have been made, with its ``Configuration/background``, before or in the same call.
    ///
    /// ```swift
    /// @MainActor
    /// final class AppDelegate {
    ///     let pictures = URLSessionLoader()
    ///
    ///     // As UIApplicationDelegate has it, after the application itself.
    ///     func application(handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping () -> Void) {
    ///         pictures.handleBackgroundEvents(identifier: identifier, completion: completionHandler)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter completion: called on the main actor once what had ended is in ``Background/folder``; never where the identifier
    ///   is not this loader's.
    /// - Returns: whether the identifier is this loader's.
    @discardableResult @MainActor
    public func handleBackgroundEvents(identifier: String, completion: @escaping () -> Void) -> Bool {
        guard let background, identifier == configuration.background?.identifier else { return false }
        background.events.add(completion)
        return true
    }
}
