internal import ImageCore

/// What a job made, and what that took. A reference, since suspended jobs have room for it.
final class LoadOutput: Sendable {
    enum Content: Sendable {
        case image(StagedImage)
        case bytes(Original)
        /// What the header says, and where it came from. Indirect, since suspended jobs have room for a content.
        indirect case info(ImageInfo, CacheTier)
        /// The image in the bytes of a format.
        indirect case encoded(EncodedImage)
    }

    let content: Content
    /// The times and counts of the jobs that made it.
    let metrics: LoadMetrics

    /// Where the output came from.
    var tier: CacheTier {
        switch content {
        case .image(let image): image.tier
        case .bytes(let original): original.tier
        case .info(_, let tier): tier
        case .encoded(let image): image.tier
        }
    }

    init(_ content: Content, _ metrics: LoadMetrics) { (self.content, self.metrics) = (content, metrics) }

    /// An image from the memory cache.
    convenience init(cached image: DecodedImage) { self.init(.image(StagedImage(image, tier: .memory)), LoadMetrics()) }

    /// The output for a job or a load that found it begun by another.
    func coalesced() -> LoadOutput {
        var metrics = metrics
        metrics.isCoalesced = true
        return LoadOutput(content, metrics)
    }

    /// What observers see of it.
    var summary: LoadSummary {
        if case .image(let staged) = content { return LoadSummary(image: staged.image, tier: tier, metrics: metrics) }
        return LoadSummary(tier: tier, metrics: metrics)
    }
}

extension Result where Success == LoadOutput, Failure == LoadFailure {
    /// The result of a load of an image.
    var response: Result<ImageResponse, LoadFailure> {
        flatMap { output in
            guard case .image(let staged) = output.content else { return .failure(.failed(.noInput)) }
            return .success(ImageResponse(image: staged.image, tier: output.tier, metrics: output.metrics))
        }
    }
}

extension LoadMetrics {
    /// Adds the time that a stage worked.
    mutating func add(_ time: Duration, of stage: LoadStage) {
        switch stage {
        case .processedCache: processedCache += time
        case .originalCache: originalCache += time
        case .network: network += time
        case .decode: decode += time
        case .process: process += time
        case .encode: encode += time
        case .request, .memoryCache, .store, .deliver, .revalidate: break
        }
    }

    /// Adds what the output took that a job has used.
    mutating func add(_ upstream: LoadMetrics) {
        byteCount = upstream.byteCount
        retries += upstream.retries
        isCoalesced = isCoalesced || upstream.isCoalesced
        waiting += upstream.waiting
        processedCache += upstream.processedCache
        originalCache += upstream.originalCache
        network += upstream.network
        decode += upstream.decode
        process += upstream.process
        encode += upstream.encode
    }
}

extension DecodedImage {
    /// A load has decoded the image now.
    ///
    /// - Parameters:
    ///   - original: the response that had the bytes; `nil` if there was none.
    ///   - freshUntil: until when it is fresh, in seconds since 1970; `nil` if that is not known.
    mutating func wasDecoded(from original: OriginalResponse?, freshUntil: Double?) {
        var details = details
        (details.original, details.freshUntil) = (original, freshUntil)
        details.decodedAt = Date().timeIntervalSince1970
        self.details = details
    }
}

/// An image on its way through the stages. A reference, since suspended jobs keep it.
final class StagedImage: Sendable {
    let image: DecodedImage
    let tier: CacheTier
    /// The response that the image was made from; `nil` if it was made from an image in memory.
    let source: ResponseHead?
    /// The bytes, where a smaller image may be made from this one.
    let original: Original?
    /// The target size of its decode.
    let box: PixelSize?
    /// Whether it is the thumbnail in the file, which has another size than the image.
    let isThumbnail: Bool

    init(
        _ image: DecodedImage, tier: CacheTier, source: ResponseHead? = nil, original: Original? = nil,
        box: PixelSize? = nil, isThumbnail: Bool = false
    ) {
        (self.image, self.tier, self.source) = (image, tier, source)
        (self.original, self.box, self.isThumbnail) = (original, box, isThumbnail)
    }
}

/// The encoded bytes of an image, where they came from, and how they are stored. A reference, since suspended jobs keep
/// it.
final class Original: Sendable {
    /// The bytes, with the head of their response.
    let entry: DataEntry
    let tier: CacheTier
    /// Whether these are all bytes, not just the first ones, which hold the header.
    let isWhole: Bool
    /// The headers of the response that had the bytes; `nil` for bytes without one.
    let responseHead: ResponseHead?
    /// The job that got the bytes; late loads find them there until they are stored.
    let job: JobID
    /// What stores the bytes once they have proved to be an image; `nil` if a cache has them, or must not have them.
    let commit: Commit?

    init(
        entry: DataEntry, tier: CacheTier, isWhole: Bool = true, responseHead: ResponseHead? = nil, job: JobID,
        commit: Commit? = nil
    ) {
        (self.entry, self.tier, self.isWhole, self.responseHead) = (entry, tier, isWhole, responseHead)
        (self.job, self.commit) = (job, commit)
    }
}

extension Original {
    /// What is known of the response that had the bytes; `nil` for a local source.
    var response: OriginalResponse? {
        guard tier != .local else { return nil }
        guard let responseHead else {
            return OriginalResponse(url: nil, status: entry.head.status, headerFields: entry.head.headerFields)
        }
        // A cache knows only a digest of where the redirects led.
        let isRedirected = tier == .disk && responseHead.redirect != nil
        return OriginalResponse(
            url: isRedirected ? nil : responseHead.url, status: responseHead.head.status,
            headerFields: responseHead.head.headerFields)
    }
}

/// Stores the bytes of a fetch, once, whichever of the jobs that use them is the first to accept them.
final class Commit: Sendable {
    typealias Body = @Sendable () async throws -> Void

    private let body: Lock<Body?>

    init(_ body: @escaping Body) { self.body = Lock(body) }

    /// The call that stores the bytes, for the first caller.
    func take() -> Body? { body.withLock { $0.take() } }
}
