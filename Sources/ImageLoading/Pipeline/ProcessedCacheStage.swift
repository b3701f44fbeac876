internal import HTTPTypes
internal import ImageCore

/// Looks the finished image up in the data cache, encoded, and decodes it; and encodes an image to be kept there.
///
/// A miss, or a damaged entry, fails the step; the load then begins again without this cache.
struct ProcessedCacheStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan

    /// The header field that keeps the format of the original.
    private static let originalFormat = HTTPField.Name("Calotype-Original-Format")

    private var key: DataKey { DataKey(resource: plan.resource, variant: plan.imageKey.variant) }

    private var missing: LoadFailure {
        .failed(
            ImageError(
                .notCached, message: "\(plan.request) is not in the data cache as it is wanted.", stage: .processedCache,
                source: plan.request.description))
    }

    // MARK: Reading

    func lookUp(_ node: NodeID, _ context: StageContext, _ coordinator: any Pipeline.Reporting) {
        context.startTask {
            let timer = StageTimer(.processedCache, plan, coordinator)
            var entry: DataEntry?
            do {
                entry = try await pipeline.configuration.dataCache?.entry(for: key)
            } catch is CancellationError {
            } catch {
                coordinator.observe(.cacheFailed(wrapped(error)), plan)
            }
            var metrics = LoadMetrics()
            metrics.originalCache = timer.end()
            guard let entry else {
                return coordinator.finish(node, .failure(missing), retention: .never)
            }
            coordinator.observe(.cacheLookup(.disk, isHit: true), plan)
            metrics.byteCount = entry.data.count
            let found = Original(entry, tier: .disk, metrics: metrics)
            coordinator.finish(node, .success(.original(found)), retention: .never)
        }
    }

    func decode(_ node: NodeID, _ input: WorkResult?, _ context: StageContext, _ coordinator: any Pipeline.Reporting) {
        let token = context.token
        guard case .original(let found) = input else {
            return coordinator.fail(node, ImageError.noInput, stage: .processedCache, plan, token)
        }
        pipeline.workers.submit {
            guard !token.isCancelled else {
                return coordinator.finish(node, .failure(.cancelled), retention: .never)
            }
            guard pipeline.admits(found.entry.data, node, pipeline.configuration.limits.decoding, context, coordinator) else {
                return
            }
            let timer = StageTimer(.decode, plan, coordinator)
            var options = DecodeOptions()
            options.limits = pipeline.configuration.limits.decoding
            options.cancellation = token
            do {
                var image = try pipeline.configuration.decoder.decode(found.entry.data, options: options)
                image.format = ProcessedCacheStage.originalFormat.flatMap { found.entry.head.headerFields[$0] }
                    .map { ImageFormat(rawValue: $0) }
                var metrics = found.metrics
                metrics.decode = timer.end()
                let staged = StagedImage(image, tier: .disk, metrics: metrics)
                coordinator.finish(node, .success(.image(staged)), retention: .now)
            } catch {
                timer.end()
                guard !token.isCancelled else {
                    return coordinator.finish(node, .failure(.cancelled), retention: .never)
                }
                forget(node, coordinator)
            }
        }
    }

    /// Removes a damaged entry before the load begins again, which may store a new one.
    private func forget(_ node: NodeID, _ coordinator: any Pipeline.Reporting) {
        Task {
            do {
                try await pipeline.configuration.dataCache?.removeEntry(for: key)
            } catch {
                coordinator.observe(.cacheFailed(wrapped(error)), plan)
            }
            coordinator.finish(node, .failure(missing), retention: .never)
        }
    }

    // MARK: Writing

    /// Encodes on a thread of its own, stores, and then calls `next`.
    func store(
        _ image: DecodedImage, named name: ImageKey, _ coordinator: any Pipeline.Reporting,
        then next: @escaping @Sendable () -> Void
    ) {
        // The key of the node: the plan may have more processors.
        let key = DataKey(resource: name.resource, variant: name.variant)
        guard let encoder = pipeline.configuration.encoder, let cache = pipeline.configuration.dataCache else {
            return next()
        }
        let format = pipeline.configuration.processedFormat
        pipeline.encodingWorkers.submit {
            let timer = StageTimer(.store, plan, coordinator)
            let encoded = Result {
                try encoder.encode(image, as: format, options: pipeline.configuration.processedEncoding)
            }
            Task {
                do {
                    var head = HTTPResponse(status: .ok, headerFields: [.contentType: format.mediaType])
                    if let field = ProcessedCacheStage.originalFormat { head.headerFields[field] = image.format?.rawValue }
                    let entry = DataEntry(data: try encoded.get(), head: head, storedAt: Date().timeIntervalSince1970)
                    try await cache.store(entry, for: key)
                    timer.end()
                } catch {
                    timer.end()
                    coordinator.observe(.cacheFailed(.wrapping(error, stage: .store, source: plan.request.description)), plan)
                }
                next()
            }
        }
    }

    private func wrapped(_ error: any Error) -> ImageError {
        .wrapping(error, stage: .processedCache, source: plan.request.description)
    }
}
