internal import HTTPTypes
internal import ImageCore
internal import LoopbackHTTP

extension DataLoadingConformance {
    /// Servers that send slow, malformed or unexpected responses.
    static let misbehaviour: [Check] = [
        Check(name: "A late response arrives") { loader in
            let gate = try LoopbackServer.Gate()
            let server = try LoopbackServer { _, connection in
                try connection.wait(for: gate)
                try connection.respond(LoopbackServer.Response(200, body: [1]))
            }
            let request = try request(server)
            let task = Task { try await loader.load(request) }
            try await server.requests.wait(forCount: 1)
            gate.open()
            try ConformanceFailure.require(try await collect(try await task.value.body).count == 1, "Its body was lost.")
        },
        Check(name: "A body that is sent byte by byte arrives complete") { loader in
            let gates = try (0..<20).map { _ in try LoopbackServer.Gate() }
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Content-Length", "20")])
                for (number, gate) in gates.enumerated() {
                    try connection.write([UInt8(number)])
                    // Send the next byte after the client has read this one.
                    try connection.wait(for: gate)
                }
            }
            var received = Data()
            for try await chunk in try await loader.load(try request(server)).body {
                received.append(chunk)
                for gate in gates.prefix(received.count) { gate.open() }
            }
            try ConformanceFailure.require(received == Data(0..<20), "\(received.count) bytes arrived.")
        },
        Check(name: "Bytes beyond the announced length are not part of the body") { loader in
            let server = try makeServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwholeand more")
            let body = try await body(from: server, loader)
            try ConformanceFailure.require(body == Data("whole".utf8), "The body had \(body.count) bytes.")
        },
        Check(name: "A truncated chunked body throws instead of ending") { loader in
            let server = try makeServer(sending: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nshort")
            try await expectError(otherwise: "It ended as if it were complete.") { _ = try await body(from: server, loader) }
        },
        Check(name: "A reset in the middle of a body throws") { loader in
            let hasRead = try LoopbackServer.Gate()
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Content-Length", "100000")])
                try connection.write([UInt8](repeating: 1, count: 2048))
                try connection.wait(for: hasRead)
                connection.reset()
            }
            try await expectError(otherwise: "It ended as if it were complete.") {
                for try await _ in try await loader.load(try request(server)).body { hasRead.open() }
            }
        },
        Check(name: "Malformed header lines do not change the body") { loader in
            let server = try makeServer(
                sending: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nno colon here\r\n: no name\r\nX-Odd: \u{1}\r\n\r\ngood")
            // Both an error and a response are correct; a response must be complete.
            do {
                try ConformanceFailure.require(
                    try await body(from: server, loader) == Data("good".utf8), "The body was different.")
            } catch is ImageError {}
        },
        Check(name: "Endless response headers are an error") { loader in
            let server = try LoopbackServer { _, connection in
                try connection.write("HTTP/1.1 200 OK\r\n")
                while true { try connection.write("X-Filler: \(String(repeating: "a", count: 1000))\r\n") }
            }
            try await expectError(otherwise: "They were accepted as a response.") {
                _ = try await loader.load(try request(server))
            }
            try await server.disconnections.wait(forCount: 1)
        },
        Check(name: "A redirect loop is an error") { loader in
            let server = try LoopbackServer(serving: { _ in LoopbackServer.Response(301, headers: [("Location", "/")]) })
            try await expectError(.tooManyRedirects) { _ = try await loader.load(try request(server)) }
            try ConformanceFailure.require(server.requests.value <= 11, "\(server.requests.value) requests were made.")
        },
        Check(name: "Interim responses are skipped") { loader in
            let server = try LoopbackServer { _, connection in
                try connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
                try connection.respond(LoopbackServer.Response(200, body: [1, 2]))
            }
            try await expect(try await loader.load(try request(server)), 200, body: Data([1, 2]))
        },
        Check(name: "Two different Content-Length fields are an error") { loader in
            let server = try makeServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 5\r\n\r\nwhole body")
            try await expectError(otherwise: "One of them was accepted.") { _ = try await body(from: server, loader) }
        },
        Check(name: "A 304 has no body, whatever its Content-Length") { loader in
            try await expectNoBody(304, [("Content-Length", "100")], loader)
        },
        Check(name: "The response to a HEAD has no body, whatever its Content-Length") { loader in
            let length = try await expectNoBody(200, [("Content-Length", "100")], loader, method: .head)
            try ConformanceFailure.require(length == 100, "The length was lost.")
        },
        Check(name: "A 204 has no body") { loader in try await expectNoBody(204, [], loader) },
        Check(name: "A range that was not requested is passed on unchanged") { loader in
            let range = LoopbackServer.Response(206, headers: [("Content-Range", "bytes 5-9/100")], body: [1, 2, 3, 4, 5])
            try await expectUnchanged(range, loader, headerFields: [.range: "bytes=50-"])
        },
        Check(name: "A 401 is a response, and its challenge and its body are kept") { loader in
            let refusal = LoopbackServer.Response(401, headers: [("WWW-Authenticate", "Basic realm=\"a\"")], body: [1, 2])
            try await expectUnchanged(refusal, loader)
        },
        Check(name: "A 416 is a response, and its Content-Range is kept") { loader in
            try await expectUnchanged(LoopbackServer.Response(416, headers: [("Content-Range", "bytes */100")]), loader)
        },
        Check(name: "A 429 is a response, and its Retry-After in seconds is kept") { loader in
            try await expectUnchanged(LoopbackServer.Response(429, headers: [("Retry-After", "120")]), loader)
        },
        Check(name: "A 503 is a response, and its Retry-After as a date is kept") { loader in
            let date = "Fri, 31 Dec 1999 23:59:59 GMT"
            try await expectUnchanged(LoopbackServer.Response(503, headers: [("Retry-After", date)]), loader)
        },
    ]

    /// Expects a response without a body to these headers, and returns the length that they announce.
    @discardableResult private static func expectNoBody(
        _ status: Int, _ headers: [(name: String, value: String)], _ loader: any DataLoading,
        method: HTTPRequest.Method = .get
    ) async throws -> Int? {
        let server = try LoopbackServer { _, connection in try connection.writeHeaders(status, headers: headers) }
        var request = try request(server)
        request.method = method
        let response = try await loader.load(request)
        try await expect(response, status, body: Data())
        return response.expectedBytes
    }
}
