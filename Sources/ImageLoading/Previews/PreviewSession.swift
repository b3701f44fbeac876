internal import ImageCore

/// The previews of one shared decode, made on the preview thread while its bytes arrive.
///
/// The decoder gets each byte once. When the last byte has come, the decode takes the decoder over and only finishes, unless a
/// preview is being made at that moment: the image never waits for a preview, and is then decoded from its bytes.
/// After an error of the decoder there are no more previews; the decode reports the error.
final class PreviewSession: Sendable {
    /// What a decode takes over.
    final class Begun: Sendable {
        let decoder: any IncrementalDecoder
        /// What is still to be run on its image.
        let processor: (any Processing)?
        /// Bytes that it has taken in.
        let consumed: Int
        /// Cancels its work.
        let token: CancellationToken

        init(
            decoder: any IncrementalDecoder, processor: (any Processing)?, consumed: Int, token: CancellationToken
        ) {
            (self.decoder, self.processor, self.consumed, self.token) = (decoder, processor, consumed, token)
        }
    }

    /// A decoder, and what is run on its images.
    private struct Decoder {
        let decoder: any IncrementalDecoder
        let processor: (any Processing)?
    }

    /// How far the bytes have been read.
    private struct Reading {
        /// `nil` until enough bytes have come.
        var decoder: Decoder?
        /// How many bytes the decoder has got.
        var consumed = 0
        var hasThumbnail = false
        /// The number of bytes at which the header is read next.
        var nextLook = PreviewSession.headBytes
    }

    private struct State {
        var pacing: PreviewPacing
        var policy = PreviewPolicy.none
        var bytes: ReceivedBytes?
        /// `nil` while a step has it, and after the end.
        var reading: Reading? = Reading()
        var isOver = false
        var timer: Task<Void, Never>?
    }

    /// This many bytes identify every format (``Decoding/format(of:)``).
    private static let headBytes = 64
    /// Where a thumbnail ends at the latest: Exif data fills at most one JPEG segment of 64 KB, near the file's start.
    private static let thumbnailBytes = 1 << 18

    private let work: SharedWork
    private let decoder: any IncrementalDecoding
    private let options: DecodeOptions
    private let processor: (any Processing)?
    private let token = CancellationToken()
    private let clock: ErasedClock
    private let workers: WorkerPool
    private let coordinator: LoadCoordinator
    private let state: Lock<State>

    init(
        _ work: SharedWork, decoder: any IncrementalDecoding, options: DecodeOptions, processor: (any Processing)?,
        clock: ErasedClock, workers: WorkerPool, interval: Duration, coordinator: LoadCoordinator
    ) {
        self.work = work
        self.decoder = decoder
        var options = options
        options.cancellation = token
        self.options = options
        self.processor = processor
        self.clock = clock
        self.workers = workers
        self.coordinator = coordinator
        state = Lock(State(pacing: PreviewPacing(interval: interval)))
    }

    /// Bytes have come.
    func append(_ bytes: ReceivedBytes, _ policy: PreviewPolicy) {
        let now = clock.now()
        let step = state.withLock { state -> PreviewPacing.Step in
            guard !state.isOver else { return PreviewPacing.Step() }
            state.bytes = bytes
            state.policy = policy
            return state.pacing.arrived(at: now)
        }
        execute(step)
    }

    /// Ends the previews, and cancels a step that runs.
    func end() {
        let timer = finish()
        token.cancel()
        timer?.cancel()
    }

    /// Ends the session, gives its memory back, and hands over what it has decoded where that can be had at once.
    func claim() -> Begun? {
        let begun = state.withLock { state -> Begun? in
            guard let reading = state.reading.take(), let decoder = reading.decoder else { return nil }
            return Begun(decoder: decoder.decoder, processor: decoder.processor, consumed: reading.consumed, token: token)
        }
        let timer = finish()
        timer?.cancel()
        coordinator.releasePreviewMemory(of: work)
        if begun == nil { token.cancel() }
        return begun
    }

    private func finish() -> Task<Void, Never>? {
        state.withLock { state in
            state.isOver = true
            (state.reading, state.bytes) = (nil, nil)
            return state.timer.take()
        }
    }

    // MARK: Steps

    private func execute(_ step: PreviewPacing.Step) {
        if let wait = step.wait {
            let timer = Task { [weak self, clock] in
                guard await clock.sleep(wait), let self else { return }
                let now = clock.now()
                self.execute(self.state.withLock { $0.isOver ? PreviewPacing.Step() : $0.pacing.elapsed(at: now) })
            }
            let isLate = state.withLock { state in
                if !state.isOver { state.timer = timer }
                return state.isOver
            }
            if isLate { timer.cancel() }
        }
        if step.decodes { workers.submit { [self] in run(shows: step.shows) } }
    }

    private func run(shows: Bool) {
        let turn = state.withLock { state -> (Reading, ReceivedBytes, PreviewPolicy)? in
            guard let bytes = state.bytes, let reading = state.reading.take() else { return nil }
            return (reading, bytes, state.policy)
        }
        guard case (var reading, let bytes, let policy)? = turn else { return }
        do {
            let hasShown = try read(bytes, policy, &reading, shows: shows)
            let now = clock.now()
            let step = state.withLock { [reading] state -> PreviewPacing.Step in
                guard !state.isOver else { return PreviewPacing.Step() }
                state.reading = reading
                return state.pacing.ended(hasShown: hasShown, shows: shows, at: now)
            }
            execute(step)
        } catch {
            end()
        }
    }

    /// Decodes the bytes that have come, and shows the image if `shows` says so. Returns whether there was an image to show.
    private func read(
        _ received: ReceivedBytes, _ policy: PreviewPolicy, _ reading: inout Reading, shows: Bool
    ) throws -> Bool {
        guard policy == .incremental else { return try showThumbnail(in: received.all, &reading) }
        // Until the header is complete, it is read again from the start, each time after twice as many bytes.
        guard reading.decoder != nil || received.count >= reading.nextLook else { return false }
        let bytes = received.suffix(after: reading.consumed)
        if reading.decoder == nil {
            reading.nextLook = 2 * bytes.count
            guard let info = try? decoder.info(of: bytes, limits: options.limits) else { return false }
            let memory = info.decodedBytes(of: options.convertsTo8Bit ? .rgba8 : .rgba16)
            if coordinator.claimPreviewMemory(memory, for: work) { reading.decoder = try makeDecoder(for: bytes) }
        }
        guard let decoder = reading.decoder else {
            // The format has no incremental decoder, or there is no memory for one.
            end()
            return false
        }
        if !bytes.isEmpty { try decoder.decoder.append(bytes) }
        reading.consumed += bytes.count
        try token.check()
        guard shows, let preview = try decoder.decoder.preview() else { return false }
        return show(preview, after: decoder.processor)
    }

    /// No larger than the processor needs.
    private func makeDecoder(for head: Data) throws -> Decoder? {
        var (options, processor) = (options, processor)
        if let given = processor { (options, processor) = decoder.reducing(head, options: options, for: given) }
        return try decoder.makeIncrementalDecoder(for: head, options: options).map { Decoder(decoder: $0, processor: processor) }
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
        var preview = image
        if let processor {
            var context = ProcessingContext(cancellation: token)
            (context.maximumPixels, context.extra) = (options.limits.pixels, options.extra)
            guard let processed = try? processor.process(image, context: context) else { return false }
            preview = processed
        }
        preview.isPreview = true
        // A session that ended while the preview was made shows nothing.
        guard !token.isCancelled else { return false }
        coordinator.show(
            StagedImage(preview, tier: .network, metrics: LoadMetrics(), isThumbnail: isThumbnail), of: work)
        return true
    }
}
