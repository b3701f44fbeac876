internal import HTTPTypes
internal import ImageCore
internal import ImageKernels

/// Reads and writes finished images in the data cache, encoded.
struct ProcessedCacheStage: Sendable {
    let components: Components
    let plan: LoadPlan
    let key: DataKey

    /// The header field that keeps the format of the original.
    private static let originalFormat = HTTPField.Name("Calotype-Original-Format")

    init(components: Components, plan: LoadPlan, image: ImageKey) {
        (self.components, self.plan) = (components, plan)
        key = DataKey(resource: image.resource, variant: image.variant.text)
    }

    func decode(_ entry: DataEntry, _ token: CancellationToken) throws -> DecodedImage {
        try token.check()
        let options = plan.options
        var decoding = DecodeOptions()
        // The entry has no more than the load wants, but a decoder reduces what it is not told to keep.
        (decoding.convertsToSRGB, decoding.convertsTo8Bit) = (options.convertsToSRGB, options.convertsTo8Bit)
        decoding.alpha = options.decodedAlpha
        decoding.extra = options.extra
        decoding.limits = components.configuration.limits.decoding
        decoding.cancellation = token
        var image = try components.decoder.decodeToTargetSize(entry.data, options: decoding)
        image.format = Self.originalFormat.flatMap { entry.head.headerFields[$0] }.map { name in
            components.decoder.formats.first { $0.rawValue == name } ?? ImageFormat(rawValue: name)
        }
        return image
    }

    /// The entry to store; `nil` where the loader has no encoder.
    func encode(_ image: DecodedImage) throws -> DataEntry? {
        guard let encoder = components.configuration.encoder else { return nil }
        let format = components.configuration.processedFormat
        var encoding = components.configuration.processedEncoding
        encoding.extra = plan.options.extra
        let data = try encoder.encode(image, as: format, options: encoding)
        var head = HTTPResponse(status: .ok, headerFields: [.contentType: format.mediaType])
        if let field = Self.originalFormat { head.headerFields[field] = image.format?.rawValue }
        return DataEntry(data: data, head: head, storedAt: Date().timeIntervalSince1970)
    }

    // MARK: Rules of the response cache

    /// The rules for the images of the plan; `nil` if there are none, as for a source that is not on the web.
    var rules: (any ProcessedImageRules)? { plan.responseCache(components)?.processedImageRules }

    /// How a stored image may be used.
    func use(of entry: DataEntry) -> ProcessedImageUse {
        guard let rules, let request else {
            // Only the rules of a response cache can ask the server.
            return plan.options.cachePolicy.revalidatesDisk || plan.isTooOld(entry) ? .none : .serve
        }
        return rules.use(of: entry, for: request)
    }

    /// The request of the original.
    var request: DataRequest? {
        guard let url = plan.request.source.url else { return nil }
        return plan.dataRequest(url, RankClass(plan.request.purpose, plan.priority), components)
    }

    /// Whether an image may be stored. With rules, one that was made from an image in memory is not: its response is
    /// unknown.
    func allowsStoring(imageMadeFrom source: ResponseHead?) -> Bool {
        entry(DataEntry(data: Data(), storedAt: 0), madeFrom: source) != nil
    }

    /// The entry to store for an encoded image, with what the rules need; `nil` if they forbid to store it.
    func entry(_ image: DataEntry, madeFrom source: ResponseHead?) -> DataEntry? {
        guard let rules, let request else { return image }
        return source.flatMap { rules.entry(for: image, madeFrom: $0, to: request) }
    }

    /// Whether a stale image may be used although the server failed.
    func allowsStaleUse(of image: DataEntry, after error: ImageError) -> Bool {
        guard let rules, let request else { return false }
        return rules.allowsStaleUse(of: image, for: request, after: error)
    }

    /// Until when the image may be served from memory; `nil` where the load does not ask.
    ///
    /// - Parameters:
    ///   - source: the response that the image was made from.
    ///   - stored: the entry of a finished image.
    func freshUntil(madeFrom source: ResponseHead?, stored: DataEntry? = nil) -> Double? {
        guard plan.options.memoryFollowsFreshness else { return nil }
        // Without rules nothing becomes stale.
        guard !plan.isLocal, let rules = rules ?? components.configuration.freshnessRules, let request else { return .infinity }
        let entry = stored ?? source.flatMap { rules.entry(for: DataEntry(data: Data(), storedAt: 0), madeFrom: $0, to: request) }
        return entry.map { rules.freshUntil(of: $0) } ?? 0
    }

    /// The result of a revalidation.
    enum Revalidation: Sendable {
        /// The original is unchanged, or the server failed and the stale image may be used.
        case confirmed(DataEntry)
        /// The original, which may have changed.
        case fetched(Original)
        /// The original has another version than the image.
        case outdated
    }

    /// What is known of the response that a stored image was made from.
    func original(of image: DataEntry) -> OriginalResponse? {
        guard rules != nil else { return nil }
        var fields = image.head.headerFields
        // What the cache added, or replaced.
        for field in image.head.headerFields where field.name.canonicalName.hasPrefix("calotype-") { fields[field.name] = nil }
        fields[.contentType] = nil
        return OriginalResponse(url: nil, headerFields: fields)
    }

    /// Asks the server whether the original is unchanged.
    ///
    /// - Parameters:
    ///   - image: the stale image.
    ///   - request: the request with the preconditions.
    ///   - read: reads the body of a response that has one.
    func revalidate(
        _ image: DataEntry, _ request: DataRequest, _ rules: any ProcessedImageRules, _ read: BodyReader
    ) async throws -> Revalidation {
        do {
            let response = try await plan.loader(components).load(request)
            guard response.head.status == .notModified else { return .fetched(try await read.read(response)) }
            let head = response.responseHead(receivedAt: Date().timeIntervalSince1970)
            return rules.confirmed(image, by: head, to: self.request ?? request).map { .confirmed($0) } ?? .outdated
        } catch let error as ImageError {
            guard !Task.isCancelled, request.standsIn == nil, allowsStaleUse(of: image, after: error) else { throw error }
            return .confirmed(image)
        }
    }
}
