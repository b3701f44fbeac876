public import ImageCore

extension ImageLoader {
    /// Loads many images, a limited number at a time, and returns the results in the order in which the loads end.
    ///
    /// ```swift
    /// func thumbnails(_ urls: [URL], from loader: ImageLoader) async {
    ///     for await item in loader.responses(for: urls.lazy.map { ImageRequest(url: $0, size: PixelSize(320)) }) {
    ///         switch item.result {
    ///         case .success(let response): print("\(item.completed) of \(urls.count): \(response)")
    ///         case .failure(let failure): print(item.request, failure)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - requests: the images to load, in the order of their starts. They are read one by one where the loop runs,
    ///     each when its load starts, so that the sequence may be lazy or endless.
    ///   - concurrency: how many loads run or have a result that the loop has not taken yet, at least 1; 8.
    public func responses(for requests: some Sequence<ImageRequest>, concurrency: Int = 8) -> ImageBatch {
        ImageBatch(self, requests, concurrency: max(1, concurrency))
    }
}

/// The results of many loads, in the order in which the loads end (``ImageLoader/responses(for:concurrency:)``).
///
/// A failure is an element, and does not end the batch. No load starts before the loop asks for the first element, nor
/// while the loop keeps as many results waiting as may run at a time. Leaving the loop cancels the loads that run.
/// Cancelling the task of the loop does so too, and ends the loop: at once if it waits, otherwise before its next
/// element. Each iterator loads all images.
public struct ImageBatch: AsyncSequence {
    /// A load that has ended.
    public struct Element: Sendable {
        /// The position of the request among all requests, from 0.
        public let index: Int
        /// The request.
        public let request: ImageRequest
        /// The image, or why there is none. A load that was cancelled by its owner, for example, is a failure.
        public let result: Result<ImageResponse, LoadFailure>
        /// How many elements the loop has got, with this one.
        public internal(set) var completed = 0
        /// How many requests there are; `nil` if the sequence cannot tell without reading them.
        public internal(set) var total: Int?
    }

    private let loader: ImageLoader
    private let requests: AnySequence<ImageRequest>
    private let concurrency: Int
    private let total: Int?

    init(_ loader: ImageLoader, _ requests: some Sequence<ImageRequest>, concurrency: Int) {
        (self.loader, self.requests, self.concurrency) = (loader, AnySequence(requests), concurrency)
        total = (requests as? any RandomAccessCollection)?.count
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(loader, requests.makeIterator(), concurrency: concurrency, total: total)
    }

    /// Starts the loads of a batch, and waits for their ends.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// `nil` once there is no other request.
        private var requests: AnyIterator<ImageRequest>?
        private let loads: BatchLoads
        private var ends: AsyncStream<Element>.AsyncIterator
        private let (concurrency, total): (Int, Int?)
        private var (started, completed) = (0, 0)

        fileprivate init(
            _ loader: ImageLoader, _ requests: AnyIterator<ImageRequest>, concurrency: Int, total: Int?
        ) {
            let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
            (self.requests, self.concurrency, self.total) = (requests, concurrency, total)
            (loads, ends) = (BatchLoads(loader, continuation), stream.makeAsyncIterator())
        }

        /// Waits until a load has ended; `nil` after the last one, or if the task is cancelled.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// Waits until a load has ended; `nil` after the last one, or if the task is cancelled.
        ///
        /// - Parameter actor: the isolation of the caller, in which the requests are read.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            startLoads()
            guard started > completed, var element = await ends.next(isolation: actor), !Task.isCancelled else {
                requests = nil
                loads.cancel()
                return nil
            }
            completed += 1
            (element.completed, element.total) = (completed, total)
            return element
        }

        private mutating func startLoads() {
            while started - completed < concurrency, !Task.isCancelled {
                guard let request = requests?.next() else { return requests = nil }
                loads.start(request, index: started)
                started += 1
            }
        }
    }
}

/// The running loads of a batch. Cancels them when the loop is left.
private final class BatchLoads: Sendable {
    private let loader: ImageLoader
    private let ends: AsyncStream<ImageBatch.Element>.Continuation
    private let running = Lock<[Int: ImageTask]>([:])

    init(_ loader: ImageLoader, _ ends: AsyncStream<ImageBatch.Element>.Continuation) {
        (self.loader, self.ends) = (loader, ends)
    }

    deinit { cancel() }

    func start(_ request: ImageRequest, index: Int) {
        let task = loader.coordinator.start(request, wantsProgress: false, onEvent: nil)
        running.withLock { $0[index] = task }
        task.whenFinished { [weak self, ends] result in
            self?.running.withLock { $0[index] = nil }
            ends.yield(ImageBatch.Element(index: index, request: request, result: result))
        }
    }

    func cancel() {
        for (_, task) in running.withLock({ $0 }).sorted(by: { $0.key < $1.key }) { task.cancel() }
    }
}
