#if canImport(Combine)
    public import Combine
#elseif OpenCombine
    public import OpenCombine
#endif

#if canImport(Combine) || OpenCombine
    public import ImageCore
    public import ImageLoading

    /// Publishes the image of a request and completes: one value, or one failure.
    ///
    /// Each subscriber has its own load, and loads of the same image share their work. The load starts with the first demand of
    /// the subscriber. Cancelling the subscription cancels the load, and the subscriber receives nothing afterwards. Values
    /// arrive on any thread; use `receive(on:)` to receive them elsewhere.
    public struct ImagePublisher: Publisher {
        public typealias Output = ImageResponse
        public typealias Failure = LoadFailure

        private let loader: ImageLoader
        private let request: ImageRequest

        /// Creates a publisher.
        ///
        /// - Parameters:
        ///   - loader: loads the image.
        ///   - request: what to load.
        public init(loader: ImageLoader, request: ImageRequest) {
            self.loader = loader
            self.request = request
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == ImageResponse, S.Failure == LoadFailure {
            let subscription = LoadSubscription(
                loader: loader, request: request,
                // The load started with a demand of at least one value, and there is only one.
                receiveValue: { _ = subscriber.receive($0) }, receiveCompletion: { subscriber.receive(completion: $0) })
            subscriber.receive(subscription: subscription)
        }
    }

    extension ImageLoader {
        /// Returns a publisher of the image at a URL.
        ///
        /// - Parameters:
        ///   - url: the URL of the image.
        ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's options.
        ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the loader's
        ///     options.
        public func publisher(
            for url: URL, size: PixelSize? = nil, processors: [any Processing] = []
        ) -> ImagePublisher {
            publisher(for: ImageRequest(url: url, size: size, processors: processors))
        }

        /// Returns a publisher of the image of a request.
        public func publisher(for request: ImageRequest) -> ImagePublisher { ImagePublisher(loader: self, request: request) }
    }

    /// The load of a subscriber.
    private final class LoadSubscription: Subscription, Sendable {
        // because `Subscriber` does not require `Sendable`: the subscriber is removed from the state under the lock, once, and
        // only the thread that removed it calls it.
        private struct Downstream: @unchecked Sendable {
            let receiveValue: (ImageResponse) -> Void
            let receiveCompletion: (Subscribers.Completion<LoadFailure>) -> Void
        }

        private enum State {
            /// There was no demand yet.
            case idle(Downstream)
            /// The load runs. Its handle is set as soon as it exists.
            case loading(Downstream, ImageTask?)
            /// The subscriber receives the value. The completion follows unless the subscriber cancels.
            case delivering
            case ended
        }

        private let loader: ImageLoader
        private let request: ImageRequest
        private let state: Lock<State>

        init(
            loader: ImageLoader, request: ImageRequest, receiveValue: @escaping (ImageResponse) -> Void,
            receiveCompletion: @escaping (Subscribers.Completion<LoadFailure>) -> Void
        ) {
            self.loader = loader
            self.request = request
            state = Lock(.idle(Downstream(receiveValue: receiveValue, receiveCompletion: receiveCompletion)))
        }

        func request(_ demand: Subscribers.Demand) {
            guard demand > .none else { return }
            let isFirst = state.withLock { state in
                guard case .idle(let downstream) = state else { return false }
                state = .loading(downstream, nil)
                return true
            }
            guard isFirst else { return }
            let handle = loader.task(for: request) { [self] event in
                if case .finished(let result) = event { finish(result) }
            }
            // The subscription may have ended or been cancelled before the handle existed.
            let isActive = state.withLock { state in
                guard case .loading(let downstream, _) = state else { return false }
                state = .loading(downstream, handle)
                return true
            }
            if !isActive { handle.cancel() }
        }

        func cancel() { transition(to: .ended)?.handle?.cancel() }

        private func finish(_ result: Result<ImageResponse, LoadFailure>) {
            guard let downstream = transition(to: .delivering)?.downstream else { return }
            switch result {
            case .failure(let failure): downstream.receiveCompletion(.failure(failure))
            case .success(let response):
                downstream.receiveValue(response)
                let isActive = state.withLock { state in
                    if case .delivering = state { return true }
                    return false
                }
                if isActive { downstream.receiveCompletion(.finished) }
            }
        }

        /// Changes to a later state.
        ///
        /// - Returns: the subscriber and the load, if the subscription had not reached a later state; `nil` otherwise.
        private func transition(to next: State) -> (downstream: Downstream, handle: ImageTask?)? {
            state.withLock { state in
                if case .ended = state { return nil }
                defer { state = next }
                switch state {
                case .idle(let downstream): return (downstream, nil)
                case .loading(let downstream, let handle): return (downstream, handle)
                case .delivering, .ended: return nil
                }
            }
        }
    }
#endif
