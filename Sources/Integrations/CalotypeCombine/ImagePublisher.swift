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
            let subscription = LoadSubscription(
                loader: loader, request: request,
                // There is demand for one value at least, since the load began with it; further demand changes nothing.
                receiveValue: { _ = subscriber.receive($0) }, receiveCompletion: { subscriber.receive(completion: $0) })
            subscriber.receive(subscription: subscription)
        }
    }

    extension ImageLoader {
        /// A publisher of the image behind a URL.
        public func publisher(for url: URL) -> ImagePublisher { publisher(for: ImageRequest(url: url)) }

        /// A publisher of the image that a request describes.
        public func publisher(for request: ImageRequest) -> ImagePublisher { ImagePublisher(loader: self, request: request) }
    }

    /// One subscriber's load.
    private final class LoadSubscription: Subscription, Sendable {
        // because subscribers are not `Sendable` by their protocol: this one is taken out under the lock, once, and called
        // by the one who took it.
        private struct Downstream: @unchecked Sendable {
            let receiveValue: (ImageResponse) -> Void
            let receiveCompletion: (Subscribers.Completion<LoadFailure>) -> Void
        }

        private enum State {
            /// Nothing was asked for yet.
            case idle(Downstream)
            /// Asked for; the load's handle follows as soon as it exists.
            case loading(Downstream, (any LoadHandle)?)
            /// The value is being received; the completion follows unless that cancels.
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
            let handle = loader.load(request) { [self] event in
                if case .finished(let result) = event { finish(result) }
            }
            // It may have ended, or been cancelled, before the handle was known: then nobody holds it any more.
            let isWanted = state.withLock { state in
                guard case .loading(let downstream, _) = state else { return false }
                state = .loading(downstream, handle)
                return true
            }
            if !isWanted { handle.cancel() }
        }

        func cancel() { leave(for: .ended)?.handle?.cancel() }

        private func finish(_ result: Result<ImageResponse, LoadFailure>) {
            guard let downstream = leave(for: .delivering)?.downstream else { return }
            switch result {
            case .failure(let failure): downstream.receiveCompletion(.failure(failure))
            case .success(let response):
                downstream.receiveValue(response)
                let isWanted = state.withLock { state in
                    if case .delivering = state { return true }
                    return false
                }
                if isWanted { downstream.receiveCompletion(.finished) }
            }
        }

        /// Goes over to a later state; whom the subscription was for and what loads, the first time.
        private func leave(for next: State) -> (downstream: Downstream, handle: (any LoadHandle)?)? {
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
