internal import HTTPTypes
public import ImageCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Goes on with a body where an earlier load of it broke off, was cancelled or was dropped.
///
/// The beginning of a body is kept when its server serves ranges and names the version strongly (an ETag, or a
/// `Last-Modified` at least a minute before the answer). The next load asks for the rest with `Range` and `If-Range`; a
/// resource that changed meanwhile comes whole. The reader sees one body from its first byte and a head with status 200,
/// however it was put together. Only plain GET requests are resumed, and each only for the same URL and header fields.
///
/// ```swift
/// let loader = RetryingLoader(ResumingLoader(CurlLoader()))
/// ```
public struct ResumingLoader: DataLoading {
    private let loader: any DataLoading
    private let store: PartialBodyStore
    private let minimumBytes: Int

    /// - Parameter minimumBytes: a beginning shorter than this is not worth keeping; 16 KB.
    public init(_ loader: any DataLoading, store: PartialBodyStore = PartialBodyStore(), minimumBytes: Int = 16 << 10) {
        self.loader = loader
        self.store = store
        self.minimumBytes = minimumBytes
    }

    /// What the wrapped loader returns, with what was there before in front.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard request.method == .get, request.body == nil, request.headerFields[.range] == nil,
            request.headerFields[.ifRange] == nil
        else { return try await loader.load(request) }
        let key = ImageRequest(url: request.url).resource
            .varied(by: request.headerFields.map { "\($0.name.canonicalName):\($0.value)" }.sorted())
        guard let partial = await store.take(key) else { return recording(try await loader.load(request), key) }
        var ranged = request
        for (name, value) in partial.requestFields { ranged.headerFields[name] = value }
        let response: DataResponse
        do {
            response = try await loader.load(ranged)
        } catch {
            // Cancelled or failed before the server answered: the beginning is as good as before.
            keep(partial, key)
            throw error
        }
        switch partial.classify(response.head) {
        case .rest:
            if let limit = request.maximumBytes, let total = PartialBody.length(in: partial.head), total > limit {
                throw ImageError.tooLarge(ImageSource.redacted(request.url), announced: total, limit: limit)
            }
            let whole = DataResponse(url: response.url, head: partial.head, body: response.body)
            return recording(whole, key, after: partial.bytes)
        case .whole: return recording(response, key)
        case .unusable: return recording(try await loader.load(request), key)
        case .other:
            keep(partial, key)
            return response
        }
    }

    private func keep(_ partial: PartialBody, _ key: ResourceKey) { store.put(partial, for: key, now: Double(time(nil))) }

    /// The response with a body that remembers what passed, begun by `start`.
    private func recording(_ response: DataResponse, _ key: ResourceKey, after start: Data = Data()) -> DataResponse {
        let isAtHand = response.body.wholeData != nil && start.isEmpty
        guard !isAtHand, PartialBody.canResume(response.head) else { return response }
        let recorder = Recorder(response.body, start: start) { [self] bytes in
            guard bytes.count >= minimumBytes, bytes.count < PartialBody.length(in: response.head) ?? 0 else { return }
            keep(PartialBody(head: response.head, bytes: bytes), key)
        }
        var recorded = response
        recorded.body = ByteStream { try await recorder.next() }
        return recorded
    }
}

/// Passes a body on, and gives what passed to `onBreak` unless the end was reached.
private final class Recorder: Sendable {
    fileprivate struct State {
        var iterator: ByteStream.AsyncIterator?
        var start: Data
        var passed: [Data] = []
        var isOver = false
    }

    private let state: Lock<State>
    private let onBreak: @Sendable (Data) -> Void

    init(_ body: ByteStream, start: Data, onBreak: @escaping @Sendable (Data) -> Void) {
        state = Lock(State(iterator: body.makeAsyncIterator(), start: start))
        self.onBreak = onBreak
    }

    deinit { end(isWhole: false) }

    func next() async throws -> Data? {
        if let start = state.withLock({ $0.takeStart() }) { return start }
        // One reader at a time, so that the iterator is never out when it is asked for.
        guard var iterator = state.withLock({ $0.takeIterator() }) else { return nil }
        do {
            let chunk = try await iterator.next()
            let used = iterator
            state.withLock { state in
                state.iterator = used
                if let chunk { state.passed.append(chunk) }
            }
            if chunk == nil { end(isWhole: true) }
            return chunk
        } catch {
            // A body over the limit would be over it again.
            end(isWhole: (error as? ImageError)?.code == .tooLarge)
            throw error
        }
    }

    private func end(isWhole: Bool) {
        let passed = state.withLock { state -> [Data] in
            guard !state.isOver else { return [] }
            state.isOver = true
            defer { state.passed = [] }
            return isWhole ? [] : [state.start] + state.passed
        }
        guard !passed.isEmpty else { return }
        var bytes = Data(capacity: passed.reduce(0) { $0 + $1.count })
        for chunk in passed { bytes.append(chunk) }
        onBreak(bytes)
    }
}

extension Recorder.State {
    /// What was there before, as the first chunk.
    fileprivate mutating func takeStart() -> Data? {
        guard !start.isEmpty else { return nil }
        passed = [start]
        defer { start = Data() }
        return start
    }

    fileprivate mutating func takeIterator() -> ByteStream.AsyncIterator? {
        defer { iterator = nil }
        return iterator
    }
}
