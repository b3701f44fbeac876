#if canImport(Darwin)
    internal import Foundation
    internal import ImageCore

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension BackgroundSession {
        private static let all = Lock<[String: BackgroundTransfers]>([:])

        /// The transfers of one identifier, which live until the process ends: the system allows one session per
        /// identifier, and releasing a session cancels its transfers.
        static func transfers(
            for configuration: URLSessionLoader.Configuration, connectionsPerHost: Int
        ) -> BackgroundTransfers? {
            guard let background = configuration.background, !background.identifier.isEmpty else { return nil }
            // Made under the lock, because a second session of the identifier must not be made meanwhile.
            return all.withLock { all in
                if let transfers = all[background.identifier] { return transfers }
                let transfers = BackgroundTransfers(background.store)
                let settings = URLSessionConfiguration.background(withIdentifier: background.identifier)
                URLSessionLoader.makePrivate(settings)
                settings.httpMaximumConnectionsPerHost = max(1, connectionsPerHost)
                settings.isDiscretionary = background.isDiscretionary
                settings.sessionSendsLaunchEvents = true
                settings.timeoutIntervalForResource = TimeInterval(background.maximumTransferTime.components.seconds)
                transfers.open(
                    BackgroundSession(settings, reportingTo: transfers) { URLSessionLoader.urlRequest(for: $0, configuration) })
                all[background.identifier] = transfers
                return transfers
            }
        }
    }
#endif
