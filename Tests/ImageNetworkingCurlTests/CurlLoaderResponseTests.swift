import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderResponses {
    let loader = CurlLoader()

    @Test func responseHeadersAndBodyAreReturnedAsSent() async throws {
        let server = try LoopbackServer.answering(
            headers: [("Content-Type", "image/png"), ("X-Two", "a"), ("X-Two", "b")], body: "image")
        let request = try server.request("/a.png")
        let response = try await loader.load(request)
        #expect(response.url == request.url)
        #expect(response.head.status == 200)
        #expect(response.head.headerFields[.contentType] == "image/png")
        #expect(response.head.headerFields[values: try #require(HTTPField.Name("X-Two"))] == ["a", "b"])
        #expect(response.expectedBytes == 5)
        #expect(try await response.body.text() == "image")
    }

    @Test func a404IsAResponseAndNotAnError() async throws {
        let server = try LoopbackServer.answering(404, body: "gone")
        let response = try await loader.load(try server.request())
        #expect(response.head.status.code == 404)
        #expect(try await response.body.text() == "gone")
    }

    @Test func aResponseToHeadHasNoBodyDespiteContentLength() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "5000000000")])
        }
        var request = try server.request()
        request.method = .head
        let response = try await loader.load(request)
        #expect(response.expectedBytes == 5_000_000_000)
        #expect(try await response.body.collected().isEmpty)
    }

    @Test func interimResponsesAndTrailersAreIgnored() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Final: yes\r\n\r\n")
            try connection.writeChunk(Array("body".utf8))
            try connection.write("0\r\nHTTP/1.1 500: Late\r\n\r\n")
        }
        let response = try await loader.load(try server.request())
        #expect(response.head.status == 200)
        #expect(response.head.headerFields[try #require(HTTPField.Name("X-Final"))] == "yes")
        #expect(response.head.headerFields[try #require(HTTPField.Name("Link"))] == nil)
        #expect(try await response.body.text() == "body")
    }

    @Test func anEmptyBodyHasNoChunks() async throws {
        let server = try LoopbackServer.answering(204, headers: [("Content-Length", "0")], body: "")
        let response = try await loader.load(try server.request())
        #expect(response.body.wholeData?.isEmpty == true)
    }

    @Test func timingsTellNewAndReusedConnectionsApart() async throws {
        let server = try LoopbackServer.answering(body: "x")
        let loader = CurlLoader()
        let first = try await loader.load(try server.request())
        _ = try await first.body.collected()
        let second = try await loader.load(try server.request())
        let timing = try #require(first.timing)
        #expect(!timing.isReused)
        #expect(timing.connect > .zero)
        #expect(timing.tlsHandshake == .zero)
        #expect(timing.firstByte >= timing.nameLookup + timing.connect)
        #expect(second.timing?.isReused == true)
        #expect(second.timing?.connect == .zero)
        #expect(second.timing?.firstByte ?? .zero > .zero)
    }
}
