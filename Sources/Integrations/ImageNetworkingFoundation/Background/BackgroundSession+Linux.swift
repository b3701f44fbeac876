#if !canImport(Darwin)
    extension BackgroundSession {
        /// None: Linux has no transfers that continue without the process.
        static func transfers(
            for configuration: URLSessionLoader.Configuration, connectionsPerHost: Int
        ) -> BackgroundTransfers? { nil }
    }
#endif
