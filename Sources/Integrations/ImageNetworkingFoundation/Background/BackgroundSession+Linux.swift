#if !canImport(Darwin)
    extension BackgroundSession {
        /// There are none: nothing here goes on without the process.
        static func transfers(for configuration: URLSessionLoader.Configuration) -> BackgroundTransfers? { nil }
    }
#endif
