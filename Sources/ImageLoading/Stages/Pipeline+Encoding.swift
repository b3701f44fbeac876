internal import ImageCore

/// The image in the bytes of a format. It is made from the original or from a job that makes the image, and not from an
/// image in the memory cache, so that it is as fresh as its response.
extension Pipeline {
    func makeEncodedImage() async throws -> EncodedImage {
        guard case .encoded(let form) = plan.goal else { throw ImageError.noInput }
        let encoder = try components.encoder(of: form.format)
        var fetched: Original?
        if plan.readsEncoded, components.dataCache != nil {
            let found = try await lookUpProcessedEntry()
            switch found {
            case .hit(let entry): if let image = form.image(entry) { return serve(image, entry) }
            case .miss(let original): fetched = original
            }
            coordinator.observe(.cacheLookup(.disk, isHit: false), plan)
        }
        let image = try await image(after: job.steps, fetched)
        let entry = try await runner.runOnWorker(.encode) { [plan, job] in
            try form.encode(image.image, with: encoder, extra: plan.options.extra, job.token)
        }
        guard var encoded = form.image(entry) else {
            throw ImageError(.plugInFailed, message: "The encoder of \(form.format) wrote an empty file.", stage: .encode)
        }
        (encoded.tier, encoded.original) = (image.tier, image.image.details.original)
        encoded.freshUntil = keep(entry, of: image)
        return encoded
    }

    private func serve(_ image: EncodedImage, _ entry: DataEntry) -> EncodedImage {
        coordinator.observe(.cacheLookup(.disk, isHit: true), plan)
        var image = image
        (image.tier, image.original) = (.disk, processedStage.original(of: entry))
        image.freshUntil = processedStage.rules.map { Date(secondsSince1970: $0.freshUntil(of: entry)) }
        return image
    }

    /// Stores the bytes where the rules for the response allow that. Returns until when they are fresh; `nil` without
    /// rules.
    private func keep(_ entry: DataEntry, of image: StagedImage) -> Date? {
        let stage = processedStage
        let isForbidden = image.image.isPartial || image.source?.head.headerFields.forbidStorage == true
        let stored = isForbidden ? nil : stage.entry(entry, madeFrom: image.source)
        if let stored {
            store.store(stored, stage)
        } else if image.tier == .network, coordinator.stores(of: job).targets.contains(.encoded) {
            // An entry that was made from older bytes must not stay.
            store.remove(stage)
        }
        return stage.rules.map { rules in stored.map { Date(secondsSince1970: rules.freshUntil(of: $0)) } ?? .distantPast }
    }
}

extension Components {
    /// The encoder.
    ///
    /// - Throws: `unsupportedFeature` if the loader has none for the format.
    fileprivate func encoder(of format: ImageFormat) throws(ImageError) -> any Encoding {
        guard let encoder = configuration.encoder else {
            throw ImageError(
                .unsupportedFeature,
                message: "The loader has no encoder, so it cannot write \(format). Set `encoder` in its configuration.",
                stage: .encode)
        }
        guard encoder.formats.contains(format) else {
            let known = encoder.formats.map(\.rawValue).joined(separator: ", ")
            throw ImageError(
                .unsupportedFeature,
                message: "The loader has no encoder for the format \(format). Its formats are \(known).", stage: .encode)
        }
        return encoder
    }
}

extension Date {
    /// A time that may be infinite.
    fileprivate init(secondsSince1970 seconds: Double) {
        self = seconds.isFinite ? Date(timeIntervalSince1970: seconds) : .distantFuture
    }
}
