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
}
