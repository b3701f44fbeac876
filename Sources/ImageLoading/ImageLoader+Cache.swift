public import ImageCore

extension ImageLoader {
    /// The caches of the loader, one image at a time. ``clearCaches()`` empties them.
    public var cache: Cache { Cache(coordinator: coordinator) }

    /// One image in all caches of a loader: memory, disk, HTTP and shared tiers.
    ///
    /// A request names an image as it does for a load: by source, headers, size and processors. Its cache policy has no
    /// effect here. No call uses the network. Sources that are local (``ImageSource/isLocal``) are only in the memory
    /// cache.
    ///
    /// ```swift
    /// func forget(_ url: URL, in loader: ImageLoader) async throws {
    ///     if try await loader.cache.contains(ImageRequest(url: url)) { try await loader.cache.removeAllVariants(of: url) }
    /// }
    /// ```
    public struct Cache: Sendable {
        let coordinator: LoadCoordinator

        private var components: Components { coordinator.components }

        // MARK: Looking up

        /// The image of a request in the memory cache; `nil` if it is not there, or an option is invalid. Counts as a
        /// use.
        public func image(for request: ImageRequest) -> DecodedImage? {
            guard let plan = try? coordinator.plan(request) else { return nil }
            return components.memoryCache.image(for: plan.imageKey).flatMap { $0.isPreview ? nil : $0 }
        }

        /// The encoded bytes of a request's source in the HTTP cache or the data cache, fresh or stale. Counts as a
        /// use.
        ///
        /// - Returns: the bytes with the headers of their response; `nil` if they are not stored, or if their response
        ///   must not be used without asking the server.
        /// - Throws: ``LoadFailure/failed(_:)`` if an option is invalid, and what the caches throw.
        public func data(for request: ImageRequest) async throws -> DataEntry? {
            try await data(for: coordinator.plan(request))
        }

        /// The nearest tier that has the image of a request, or what it is made from: ``CacheTier/memory``,
        /// ``CacheTier/disk``, or `nil` for none.
        ///
        /// - Throws: ``LoadFailure/failed(_:)`` if an option is invalid, and what the caches throw.
        public func tier(of request: ImageRequest) async throws -> CacheTier? {
            let plan = try coordinator.plan(request)
            if let image = components.memoryCache.peekImage(for: plan.imageKey), !image.isPreview { return .memory }
            if keepsResult(plan), try await components.dataCache?.entry(for: processed(plan).key) != nil { return .disk }
            return try await data(for: plan) == nil ? nil : .disk
        }

        /// Whether a cache has the image of a request, or what it is made from (``tier(of:)``).
        ///
        /// - Throws: ``LoadFailure/failed(_:)`` if an option is invalid, and what the caches throw.
        public func contains(_ request: ImageRequest) async throws -> Bool { try await tier(of: request) != nil }

        // MARK: Storing

        /// Stores an image in the memory cache, and encoded in the data cache where the option `diskStorage` says so.
        /// Later loads of the request get it.
        ///
        /// A loader with an HTTP cache keeps the image in memory only: without the response that it was made from, the
        /// cache could not tell how long it is fresh. Store the encoded bytes with ``store(_:for:maximumAge:)``
        /// instead.
        ///
        /// - Throws: ``LoadFailure/failed(_:)`` if an option is invalid, and what the encoder and the data cache throw.
        public func store(_ image: DecodedImage, for request: ImageRequest) async throws {
            let plan = try coordinator.plan(request)
            var kept = image
            // Only the app knows how long it is of use.
            (kept.details.freshUntil, kept.details.decodedAt) = (.infinity, Date().timeIntervalSince1970)
            components.memoryCache.store(kept, for: plan.imageKey, priority: plan.options.cachePriority)
            let stage = processed(plan)
            guard keepsResult(plan), stage.rules == nil, let cache = components.dataCache else { return }
            guard let entry = try await components.encodingWorkers.run({ try stage.encode(image) }) else { return }
            try await cache.store(entry, for: stage.key)
        }

        /// Stores encoded bytes as if the source had responded with them, and removes the images that were made from
        /// earlier bytes. Does nothing for a local source.
        ///
        /// - Parameters:
        ///   - data: an encoded image.
        ///   - request: a request for a source that is not local.
        ///   - maximumAge: how long loads use the bytes without asking the server; 30 days.
        /// - Throws: ``LoadFailure/failed(_:)`` if an option is invalid, and what the caches throw.
        public func store(_ data: Data, for request: ImageRequest, maximumAge: Duration = .seconds(30 * 86_400)) async throws {
            let seconds = max(0, maximumAge.components.seconds)
            let head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=\(seconds)"])
            try await store(DataEntry(data: data, head: head, storedAt: Date().timeIntervalSince1970), for: request)
        }

        /// Stores a response as if the source had sent it, and removes the images that were made from earlier bytes.
        /// The HTTP cache stores it if its policy allows that, and uses it for as long as its header fields say. Does
        /// nothing for a local source.
        ///
        /// - Throws: ``LoadFailure/failed(_:)`` if an option is invalid, and what the caches throw.
        public func store(_ entry: DataEntry, for request: ImageRequest) async throws {
            let plan = try coordinator.plan(request)
            guard !plan.isLocal else { return }
            try await components.removeAllVariants(of: plan.request.resource)
            if let (cache, request) = responses(for: plan) {
                try await cache.store(entry, for: request)
            } else {
                try await components.dataCache?.store(entry, for: plan.dataKey)
            }
        }

        // MARK: Removing

        /// Removes the image of a request from memory and disk, and the bytes that it is made from. Other sizes and
        /// other processors of the source stay in memory, and what ``ImageLoader/encoded(for:as:options:)`` made stays
        /// on disk. A load that is running may store the image afterwards.
        ///
        /// - Throws: ``LoadFailure/failed(_:)`` if an option is invalid, and what the caches throw.
        public func remove(_ request: ImageRequest) async throws {
            let plan = try coordinator.plan(request)
            components.memoryCache.removeImage(for: plan.imageKey)
            guard !plan.isLocal else { return }
            try await components.dataCache?.removeEntry(for: processed(plan).key)
            try await components.dataCache?.removeEntry(for: plan.dataKey)
            if let (cache, request) = responses(for: plan) { try await cache.removeResponse(for: request) }
        }

        /// Removes everything that came from the source of a request from all tiers: every size and all processors, the
        /// responses to requests with any headers, and partial bodies. A load that is running may store its image
        /// afterwards.
        ///
        /// - Throws: the first error of a cache.
        public func removeAllVariants(of request: ImageRequest) async throws {
            try await components.removeAllVariants(of: request.resource)
        }

        /// Removes everything that came from a URL without a cache key from all tiers: every size and all processors,
        /// the responses to requests with any headers, and partial bodies. A load that is running may store its image
        /// afterwards.
        ///
        /// - Throws: the first error of a cache.
        public func removeAllVariants(of url: URL) async throws { try await removeAllVariants(of: ImageRequest(url: url)) }

        /// Removes everything that came from the URLs with a cache key (``ImageRequest/cacheKey``) from all tiers, as
        /// `removeAllVariants(of:)` does for a request. Does nothing for an empty key.
        ///
        /// - Throws: the first error of a cache.
        public func removeAllVariants(ofCacheKey key: String) async throws {
            guard !key.isEmpty else { return }
            try await components.removeAllVariants(of: ResourceKey(cacheKey: key))
        }

        // MARK: Parts

        private func processed(_ plan: LoadPlan) -> ProcessedCacheStage {
            ProcessedCacheStage(components: components, plan: plan, image: plan.imageKey)
        }

        private func keepsResult(_ plan: LoadPlan) -> Bool {
            !plan.isLocal && components.configuration.encoder != nil
                && plan.options.diskStorage.keepsResult(isProcessed: plan.isProcessed)
        }

        /// The response cache, and the request that a load would look up there; `nil` for a source that is not on the
        /// web.
        private func responses(for plan: LoadPlan) -> (any ResponseCaching, DataRequest)? {
            guard let cache = plan.responseCache(components), let url = plan.request.source.url else { return nil }
            var request = plan.dataRequest(url, RankClass(plan.request.purpose, plan.priority), components)
            request.cachePolicy = .diskOnly
            return (cache, request)
        }

        private func data(for plan: LoadPlan) async throws -> DataEntry? {
            guard !plan.isLocal else { return nil }
            guard let (cache, found) = responses(for: plan) else {
                return try await components.dataCache?.entry(for: plan.dataKey)
            }
            var request = found
            request.cachePolicy.insert(.onlyIfCached)
            guard case .hit(let response, _) = try await cache.lookUp(request), response.head.status == .ok else { return nil }
            return try await BodyReader(components, plan).read(response).entry
        }
    }
}
