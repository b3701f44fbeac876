internal import HTTPTypes
internal import ImageCore
internal import LoopbackHTTP

extension DataLoadingConformance {
    /// Servers that send slow, malformed or unexpected responses.
    static let misbehaviour: [Check] = [
        Check("A late response arrives") { probe in
            let gate = try LoopbackServer.Gate()
            let server = try LoopbackServer { _, connection in
                try connection.wait(for: gate)
                try connection.respond(Response(200, body: [1]))
            }
            let task = Task { try await probe.body(of: server) }
            try await server.requests.wait(forCount: 1)
            gate.open()
            try require(try await task.value.count == 1, "Its body was lost.")
        },
        Check("A body that is sent byte by byte arrives complete") { probe in
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
            for try await chunk in try await probe.load(server).body {
                received.append(chunk)
                for gate in gates.prefix(received.count) { gate.open() }
            }
            try require(received == Data(0..<20), "\(received.count) bytes arrived.")
        },
        Check("Bytes beyond the announced length are not part of the body") { probe in
            let server = try makeServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwholeand more")
            let body = try await probe.body(of: server)
            try require(body == Data("whole".utf8), "The body had \(body.count) bytes.")
        },
        fails(
            "A truncated chunked body throws instead of ending", otherwise: "It ended as if it were complete.",
            sending: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nshort"),
        Check("A reset in the middle of a body throws") { probe in
            let hasRead = try LoopbackServer.Gate()
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Content-Length", "100000")])
                try connection.write([UInt8](repeating: 1, count: 2048))
                try connection.wait(for: hasRead)
                connection.reset()
            }
            try await expectError(otherwise: "It ended as if it were complete.") {
                for try await _ in try await probe.load(server).body { hasRead.open() }
            }
        },
        Check("Malformed header lines do not change the body") { probe in
            let server = try makeServer(
                sending: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nno colon here\r\n: no name\r\nX-Odd: \u{1}\r\n\r\ngood")
            // Both an error and a response are correct; a response must be complete.
            do {
                try require(try await probe.body(of: server) == Data("good".utf8), "The body was different.")
            } catch is ImageError {}
        },
        Check("Endless response headers are an error") { probe in
            let server = try LoopbackServer { _, connection in
                try connection.write("HTTP/1.1 200 OK\r\n")
                while true { try connection.write("X-Filler: \(String(repeating: "a", count: 1000))\r\n") }
            }
            try await expectError(otherwise: "They were accepted as a response.") { try await probe.load(server) }
            try await server.disconnections.wait(forCount: 1)
        },
        Check("A redirect loop is an error") { probe in
            let server = try makeServer(redirectingTo: "/")
            try await expectError(.tooManyRedirects) { try await probe.load(server) }
            try require(server.requests.value <= 11, "\(server.requests.value) requests were made.")
        },
        Check("Interim responses are skipped") { probe in
            let server = try LoopbackServer { _, connection in
                try connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
                try connection.respond(Response(200, body: [1, 2]))
            }
            try await expect(try await probe.load(server), 200, body: Data([1, 2]))
        },
        fails(
            "Two different Content-Length fields are an error", otherwise: "One of them was accepted.",
            sending: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 5\r\n\r\nwhole body"),
        Check("A 304 has no body, whatever its Content-Length") { probe in
            try await expectNoBody(304, [("Content-Length", "100")], probe)
        },
        Check("The response to a HEAD has no body, whatever its Content-Length") { probe in
            let length = try await expectNoBody(200, [("Content-Length", "100")], probe, method: .head)
            try require(length == 100, "The length was lost.")
        },
        Check("A 204 has no body") { probe in try await expectNoBody(204, [], probe) },
        passesOn(
            "A range that was not requested is passed on unchanged",
            Response(206, headers: [("Content-Range", "bytes 5-9/100")], body: [1, 2, 3, 4, 5]), to: [.range: "bytes=50-"]),
        passesOn(
            "A 401 is a response, and its challenge and its body are kept",
            Response(401, headers: [("WWW-Authenticate", "Basic realm=\"a\"")], body: [1, 2])),
        passesOn(
            "A 416 is a response, and its Content-Range is kept", Response(416, headers: [("Content-Range", "bytes */100")])),
        passesOn(
            "A 429 is a response, and its Retry-After in seconds is kept", Response(429, headers: [("Retry-After", "120")])),
        passesOn(
            "A 503 is a response, and its Retry-After as a date is kept",
            Response(503, headers: [("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT")])),
    ]

    /// Expects a response without a body to these headers, and returns the length that they announce.
    @discardableResult private static func expectNoBody(
        _ status: Int, _ headers: [(name: String, value: String)], _ probe: LoaderProbe, method: HTTPRequest.Method = .get
    ) async throws -> Int? {
        let server = try LoopbackServer { _, connection in try connection.writeHeaders(status, headers: headers) }
        let response = try await probe.load(server) { $0.method = method }
        try await expect(response, status, body: Data())
        return response.expectedBytes
    }
}
