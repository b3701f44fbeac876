import HTTPTypes
import ImageCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct Streams {
    @Test func aBodyInMemoryIsOneChunkAndAnEmptyBodyHasNone() async throws {
        var chunks: [Data] = []
        for try await chunk in ByteStream(Data([1, 2])) { chunks.append(chunk) }
        for try await chunk in ByteStream(Data()) { chunks.append(chunk) }
        #expect(chunks == [Data([1, 2])])
    }

    @Test func anInvalidContentLengthIsNoLength() {
        for (text, expected) in [("12", 12), ("-1", nil), ("1e3", nil), ("", nil)] as [(String, Int?)] {
            var response = DataResponse(url: URL(string: "http://a/")!, body: ByteStream { nil })
            response.head.headerFields[.contentLength] = text
            #expect(response.expectedBytes == expected)
        }
    }

    private struct Broken: Error {}

    private func chunks(of stream: ByteStream) async throws -> [Data] {
        try await stream.reduce(into: []) { $0.append($1) }
    }

    @Test func aSequenceBecomesAStream() async throws {
        let texts = AsyncStream<String> { continuation in
            for text in ["one", "two", ""] { continuation.yield(text) }
            continuation.finish()
        }
        let stream = ByteStream(chunks: texts.map { Data($0.utf8) })
        #expect(try await chunks(of: stream) == [Data("one".utf8), Data("two".utf8), Data()])
    }

    @Test func theErrorOfASequenceEndsTheStream() async throws {
        let failing = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data([1]))
            continuation.finish(throwing: Broken())
        }
        var iterator = ByteStream(chunks: failing).makeAsyncIterator()
        #expect(try await iterator.next() == Data([1]))
        await #expect(throws: Broken.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func aSequenceIsReadOnlyWhenTheStreamIs() async throws {
        let pulls = Lock(0)
        let source = AsyncStream<Data> {
            pulls.withLock { $0 += 1 }
            return Data([7])
        }
        var iterator = ByteStream(chunks: source).makeAsyncIterator()
        #expect(pulls.withLock { $0 } == 0)
        _ = try await iterator.next()
        #expect(pulls.withLock { $0 } == 1)
    }

    @Test func chunksAreMappedInOrderAndAnErrorEndsTheStream() async throws {
        let source = Lock([Data([1]), Data([2]), Data([3])])
        let stream = ByteStream { source.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        var iterator = stream.mapChunks { chunk in
            guard chunk[0] < 2 else { throw Broken() }
            return Data(chunk.map { $0 + 10 })
        }.makeAsyncIterator()
        #expect(try await iterator.next() == Data([11]))
        await #expect(throws: Broken.self) { try await iterator.next() }
    }

    @Test func theEndIsReportedOnce() async throws {
        let reports = Lock<[String]>([])
        func watched(_ stream: ByteStream) -> ByteStream {
            stream.onEnd { bytes, error in
                reports.withLock { $0.append("\(bytes) \(error.map { "\(type(of: $0))" } ?? "whole")") }
            }
        }
        #expect(try await chunks(of: watched(ByteStream(Data([1, 2, 3])))) == [Data([1, 2, 3])])
        await #expect(throws: Broken.self) { try await chunks(of: watched(ByteStream { throw Broken() })) }
        do {
            var iterator = watched(ByteStream { Data([1]) }).makeAsyncIterator()
            _ = try await iterator.next()
        }
        #expect(reports.withLock { $0 } == ["3 whole", "0 Broken", "1 CancellationError"])
    }
}
