#if canImport(Combine)
    public import Combine
#elseif OpenCombine
    public import OpenCombine
#endif

#if canImport(Combine) || OpenCombine
    public import ImageCore
    public import ImageLoading

    /// Publishes the image of one request and ends: one value, or one failure.
    ///
    /// Each subscriber has a load of its own, and loads of one picture share their work as always. The load begins with the
    /// subscriber's first demand and not before, so that a subscriber who asks for nothing costs nothing. Cancelling the
    /// subscription cancels the load, and nothing is sent afterwards. Values arrive on no particular thread; `receive(on:)`
    /// brings them where they are wanted.
    public struct ImagePublisher: Publisher {
        public typealias Output = ImageResponse
        public typealias Failure = LoadFailure

        private let loader: ImageLoader
        private let request: ImageRequest

        public init(loader: ImageLoader, request: ImageRequest) {
            self.loader = loader
            self.request = request
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == ImageResponse, S.Failure == LoadFailure {
            subscriber.receive(subscription: LoadSubscription(loader: loader, request: request, downstream: subscriber))
        }
    }

    extension ImageLoader {
        /// A publisher of the image behind a URL.
        public func publisher(for url: URL) -> ImagePublisher { publisher(for: ImageRequest(url: url)) }

        /// A publisher of the image that a request describes.
        public func publisher(for request: ImageRequest) -> ImagePublisher { ImagePublisher(loader: self, request: request) }
    }

    /// One subscriber's load.
    private final class LoadSubscription<Downstream: Subscriber>: Subscription, Sendable
    where Downstream.Input == ImageResponse, Downstream.Failure == LoadFailure {
        // because subscribers are not `Sendable` by their protocol: this one is taken out under the lock, once, and called
        // by the one who took it.
        private struct Box: @unchecked Sendable {
            let subscriber: Downstream
        }

        private enum State {
            /// Nothing was asked for yet.
            case idle(Box)
            /// Asked for; the load's handle follows as soon as it exists.
            case loading(Box, (any LoadHandle)?)
            case ended
        }

        private let loader: ImageLoader
        private let request: ImageRequest
        private let state: Lock<State>

        init(loader: ImageLoader, request: ImageRequest, downstream: Downstream) {
            self.loader = loader
            self.request = request
            state = Lock(.idle(Box(subscriber: downstream)))
        }

        func request(_ demand: Subscribers.Demand) {
            guard demand > .none else { return }
            let isFirst = state.withLock { state in
                guard case .idle(let box) = state else { return false }
                state = .loading(box, nil)
                return true
            }
            guard isFirst else { return }
            let handle = loader.load(request) { [self] event in
                if case .finished(let result) = event { finish(result) }
            }
            // It may have ended, or been cancelled, before the handle was known: then nobody holds it any more.
            let isWanted = state.withLock { state in
                guard case .loading(let box, _) = state else { return false }
                state = .loading(box, handle)
                return true
            }
            if !isWanted { handle.cancel() }
        }

        func cancel() { end()?.handle?.cancel() }

        private func finish(_ result: Result<ImageResponse, LoadFailure>) {
            guard let downstream = end()?.box.subscriber else { return }
            switch result {
            case .success(let response):
                // There is demand for one value at least, since the load began with it; further demand changes nothing.
                _ = downstream.receive(response)
                downstream.receive(completion: .finished)
            case .failure(let failure): downstream.receive(completion: .failure(failure))
            }
        }

        /// Ends the subscription; whom it was for and what loads, the first time.
        private func end() -> (box: Box, handle: (any LoadHandle)?)? {
            state.withLock { state in
                defer { state = .ended }
                switch state {
                case .idle(let box): return (box, nil)
                case .loading(let box, let handle): return (box, handle)
                case .ended: return nil
                }
            }
        }
    }
#endif
