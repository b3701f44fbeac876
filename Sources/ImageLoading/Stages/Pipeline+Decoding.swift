internal import ImageCore

/// From the original bytes to a decoded image.
extension Pipeline {
    /// Decodes the original, no larger than the processor needs, and runs the processor.
    func decodedImage(_ processor: (any Processing)?, _ work: SharedWork) -> Next {
        makePreviews(processor, work)
        return needsOriginal(work) { result in
            switch result {
            case .original(let original): return decoded(original, processor, work)
            case .image(let larger):
                // Another load wants a larger size of the image at the same time, and this one is made from that.
                guard let original = larger.original else { throw ImageError.noInput }
                return decoded(original, from: larger, processor, work)
            case .header: throw ImageError.noInput
            }
        }
    }

    /// - Parameter larger: the image at a larger size, decoded from the same bytes for another load.
    private func decoded(
        _ original: Original, from larger: StagedImage? = nil, _ processor: (any Processing)?, _ work: SharedWork
    ) -> Next {
        let begun = work.claimPreviews()
        let stage = DecodeStage(parts: parts, plan: work.plan, processor: processor)
        return .worker(.decode) { [parts] in
            let keepsDepth = !work.plan.options.convertsTo8Bit
            return larger != nil
                ? 0 : parts.decodingBytes(of: original.entry.data, parts.limits(work.plan), keepsDepth: keepsDepth)
        } _: {
            do {
                let (image, next) = try stage.decode(original, from: larger?.image, begun, work.token)
                return { times in finished(image, next, original, times, work) }
            } catch {
                guard !work.token.isCancelled, !(error is CancellationError), isStored(original, work) else { throw error }
                return { _ in decodedAgain(original, after: error, stage.processor, work) }
            }
        }
    }

    private func finished(
        _ image: DecodedImage, _ processor: (any Processing)?, _ original: Original, _ times: StageTimes, _ work: SharedWork
    ) -> Next {
        // The bytes are an image: no error page gets into the cache.
        store(original, for: work)
        var metrics = original.metrics
        metrics.decode = times.working
        metrics.waiting += times.waiting
        let decoded = StagedImage(
            image, tier: original.tier, metrics: metrics, source: original.responseHead,
            original: work.plan.scale == nil ? nil : original)
        return processor.map { processed(decoded, $0, work) } ?? finished(decoded, work)
    }

    // MARK: Damaged bytes

    /// Whether a cache has the bytes: it may have had them before, or have stored them while they were fetched.
    private func isStored(_ original: Original, _ work: SharedWork) -> Bool {
        original.tier == .disk || FetchStage(parts: parts, plan: work.plan).responseCache != nil
    }

    /// Removes bytes that do not decode from the cache that has them; bytes that came from a cache are fetched once more.
    private func decodedAgain(
        _ original: Original, after error: any Error, _ processor: (any Processing)?, _ work: SharedWork
    ) -> Next {
        let error = ImageError.wrapping(error, stage: .decode, source: work.plan.request.description)
        let fetchesAgain = original.tier == .disk && !work.plan.options.cachePolicy.isOnlyIfCached
        return .task(nil, on: .diskCache) {
            if original.claimRemoval() { await removeOriginal(work) }
            guard fetchesAgain else { throw error }
            return { _ in
                let need = Next.Need(
                    key: WorkKey(kind: .original, origin: .source, image: ImageKey(resource: work.plan.resource)),
                    begin: { fetchedOriginal($0, nil) },
                    then: { decoded(try $0.original(), processor, work) })
                return .needs(need)
            }
        }
    }

    /// Makes previews of the work from the bytes that arrive, where loads want them.
    private func makePreviews(_ processor: (any Processing)?, _ work: SharedWork) {
        guard let decoder = parts.incrementalDecoder else { return }
        work.setMakePreviews { [weak work, parts, coordinator] in
            work.map { work in
                PreviewSession(
                    work, decoder: decoder,
                    options: DecodeStage(parts: parts, plan: work.plan, processor: processor).options, processor: processor,
                    clock: parts.clock, workers: parts.previewWorkers, interval: parts.configuration.previewInterval,
                    coordinator: coordinator)
            }
        }
    }
}
