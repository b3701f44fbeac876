internal import HTTPTypes
internal import ImageCore

/// Asks the data cache for the finished picture, encoded, and decodes it; and encodes one to be kept there.
///
/// A step that does not find it, or finds it damaged, fails; the load then goes the long way.
struct ProcessedCacheStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan

    /// The format that the original had, which the encoded picture does not know.
    private static let originalFormat = HTTPField.Name("Calotype-Original-Format")

    private var key: DataKey { DataKey(resource: plan.resource, variant: plan.imageKey.variant) }

    private var missing: LoadFailure {
        .failed(
            ImageError(
                .notCached, message: "\(plan.request) is not in the data cache as it is wanted.", stage: .processedCache,
                source: plan.request.description))
    }

    // MARK: Reading

    func lookUp(_ node: NodeID, _ start: StepStart, _ coordinator: any Pipeline.Reporting) {
        start.run {
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
                return coordinator.finish(node, .failure(missing), retention: .never, on: .elsewhere)
            }
            coordinator.observe(.cacheAsked(.disk, isHit: true), plan)
            metrics.byteCount = entry.data.count
            let found = Original(entry, tier: .disk, metrics: metrics)
            coordinator.finish(node, .success(.original(found)), retention: .never, on: .elsewhere)
        }
    }

    func decode(_ node: NodeID, _ input: WorkResult?, _ start: StepStart, _ coordinator: any Pipeline.Reporting) {
        let token = start.token
        guard case .original(let found) = input else {
            return coordinator.fail(node, ImageError.noInput, stage: .processedCache, plan, token, on: .elsewhere)
        }
        pipeline.workers.submit(from: start.place) {
            guard !token.isCancelled else {
                return coordinator.finish(node, .failure(.cancelled), retention: .never, on: .worker)
            }
            guard pipeline.admits(found.entry.data, node, pipeline.configuration.limits.decoding, start, coordinator) else {
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
                coordinator.finish(node, .success(.image(staged)), retention: .now, on: .worker)
            } catch {
                timer.end()
                guard !token.isCancelled else {
                    return coordinator.finish(node, .failure(.cancelled), retention: .never, on: .worker)
                }
                forget(node, coordinator)
            }
        }
    }

    /// A damaged entry goes before the long way begins, which may store it anew.
    private func forget(_ node: NodeID, _ coordinator: any Pipeline.Reporting) {
        Task {
            do {
                try await pipeline.configuration.dataCache?.removeEntry(for: key)
            } catch {
                coordinator.observe(.cacheFailed(wrapped(error)), plan)
            }
            coordinator.finish(node, .failure(missing), retention: .never, on: .elsewhere)
        }
    }

    // MARK: Writing

    /// Encodes on a thread that no load waits for, stores, and then calls back.
    func store(
        _ image: DecodedImage, named name: ImageKey, _ coordinator: any Pipeline.Reporting,
        then next: @escaping @Sendable () -> Void
    ) {
        // Of the node: the plan may be that of a longer list of processors.
        let key = DataKey(resource: name.resource, variant: name.variant)
        guard let encoder = pipeline.configuration.encoder, let cache = pipeline.configuration.dataCache else {
            return next()
        }
        let format = pipeline.configuration.processedFormat
        pipeline.encodingWorkers.submit(from: .elsewhere) {
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
