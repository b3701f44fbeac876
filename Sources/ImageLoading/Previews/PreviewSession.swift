internal import ImageCore
internal import ImageKernels

/// The previews of one shared decode, made on the preview thread while its bytes arrive.
///
/// The image never waits for a preview. After an error of the decoder there are no more previews; the decode reports
/// the error.
final class PreviewSession: Sendable {
    /// A decoder, its options, and the processor that still runs on its images.
    private struct Decoder {
        let decoder: any IncrementalDecoder
        let options: DecodeOptions
        let processor: (any Processing)?
    }

    // @unchecked because one preview at a time has it.
    private struct Reading: @unchecked Sendable {
        /// `nil` until enough bytes have come.
        var decoder: Decoder?
        var hasThumbnail = false
        /// The number of bytes at which the header is read next.
        var nextLook = PreviewSession.headBytes
    }

    private struct State {
        var pacing: PreviewPacing
        var policy = PreviewPolicy.none
        var bytes: BodyBuffer?
        /// `nil` while a preview is made, and after the end.
        var reading: Reading? = Reading()
        var isOver = false
        var timer: Task<Void, Never>?
    }

    /// This many bytes identify every format (``Decoding/format(of:)``).
    private static let headBytes = 64
    /// Where a thumbnail ends at the latest: Exif data fills at most one JPEG segment of 64 KB, near the file's start.
    private static let thumbnailBytes = 1 << 18

    private let job: Job
    private let decoder: any IncrementalDecoding
    private let options: DecodeOptions
    private let processor: (any Processing)?
    private let token = CancellationToken()
    private let coordinator: LoadCoordinator
    private let state: Lock<State>

    private var clock: AnyClock { coordinator.components.clock }

    /// - Returns: `nil` if the loader's decoder makes no previews.
    init?(_ job: Job, processor: (any Processing)?, _ coordinator: LoadCoordinator) {
        guard let decoder = coordinator.components.incrementalDecoder else { return nil }
        (self.job, self.decoder, self.processor, self.coordinator) = (job, decoder, processor, coordinator)
        var options = DecodeStage(components: coordinator.components, plan: job.plan, processor: processor).options
        options.cancellation = token
        self.options = options
        state = Lock(State(pacing: PreviewPacing(interval: coordinator.components.configuration.previewInterval)))
    }

    /// Bytes have come.
    func append(_ bytes: BodyBuffer, _ policy: PreviewPolicy) {
        advance { state, now in
            (state.bytes, state.policy) = (bytes, policy)
            return state.pacing.arrived(at: now)
        }
    }

    /// Ends the previews, and cancels the one that is being made.
    func end() {
        let timer = state.withLock { state in
            state.isOver = true
            (state.reading, state.bytes) = (nil, nil)
            return state.timer.take()
        }
        token.cancel()
        timer?.cancel()
    }

    // MARK: Steps

    /// Changes the state, unless the session is over, and takes the step that follows.
    private func advance(_ change: (inout State, _ now: Duration) -> PreviewPacing.Step) {
        let now = clock.now
        switch state.withLock({ $0.isOver ? .nothing : change(&$0, now) }) {
        case .nothing: break
        case .show: coordinator.components.previewWorkers.submit { [self] in makePreview() }
        case .wait(let time): wait(time)
        }
    }

    private func wait(_ time: Duration) {
        let timer = Task { [weak self, clock] in
            if (try? await clock.sleep(for: time)) != nil { self?.advance { $0.pacing.elapsed(at: $1) } }
        }
        let isLate = state.withLock { state in
            if !state.isOver { state.timer = timer }
            return state.isOver
        }
        if isLate { timer.cancel() }
    }

    private func makePreview() {
        let turn = state.withLock { state -> (Reading, BodyBuffer, PreviewPolicy)? in
            guard let bytes = state.bytes, let reading = state.reading.take() else { return nil }
            return (reading, bytes, state.policy)
        }
        guard case (var reading, let bytes, let policy)? = turn else { return }
        do {
            let hasShown =
                try policy == .incremental ? showImage(in: bytes, &reading) : showThumbnail(in: bytes.data, &reading)
            advance { [reading] state, now in
                state.reading = reading
                return state.pacing.ended(hasShown: hasShown, at: now)
            }
        } catch {
            end()
        }
    }

    /// Shows the image so far. Returns whether there was one.
    private func showImage(in bytes: BodyBuffer, _ reading: inout Reading) throws -> Bool {
        // Until the header is complete, it is read again from the start, each time after twice as many bytes.
        guard reading.decoder != nil || bytes.count >= reading.nextLook else { return false }
        let file = bytes.data
        if reading.decoder == nil {
            reading.nextLook = 2 * file.count
            guard let info = try? decoder.info(of: file, limits: options.limits) else { return false }
            let memory = info.bitmapBytes(of: options.convertsTo8Bit ? .rgba8 : .rgba16)
            if coordinator.claimPreviewMemory(memory, for: job) { reading.decoder = try makeDecoder(for: file) }
        }
        guard let decoder = reading.decoder else {
            // The file has no previews, or there is no memory for them.
            end()
            return false
        }
        guard let preview = try decoder.decoder.preview(of: file) else { return false }
        return show(try preview.resized(for: decoder.options) { preview.size } ?? preview, after: decoder.processor)
    }

    /// No larger than the processor needs.
    private func makeDecoder(for head: Data) throws -> Decoder? {
        var (options, processor) = (options, processor)
        if let given = processor { (options, processor) = decoder.reducing(head, options: options, for: given) }
        return try decoder.makeIncrementalDecoder(for: head, options: options)
            .map { Decoder(decoder: $0, options: options, processor: processor) }
    }

    private func showThumbnail(in head: Data, _ reading: inout Reading) throws -> Bool {
        guard !reading.hasThumbnail, processor?.usesPixelCoordinates != true else { return false }
        reading.hasThumbnail = head.count >= PreviewSession.thumbnailBytes
        guard let thumbnail = try decoder.embeddedThumbnail(in: head, options: options) else { return false }
        reading.hasThumbnail = true
        return show(thumbnail, after: processor, isThumbnail: true)
    }

    /// Shows an image after the processor, if that can process it. Returns whether it did.
    private func show(_ image: DecodedImage, after processor: (any Processing)?, isThumbnail: Bool = false) -> Bool {
        var image = image
        image.isPreview = true
        let decoded = StagedImage(image, tier: .network, isThumbnail: isThumbnail)
        let processed: StagedImage? =
            if let processor {
                ProcessStage(processor, of: job.plan, coordinator.components).preview(of: decoded, token)
            } else { decoded }
        // A session that ended while the preview was made shows nothing.
        guard let preview = processed, !token.isCancelled else { return false }
        coordinator.show(preview, of: job)
        return true
    }
}
