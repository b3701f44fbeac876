import HTTPTypes
import ImageCore
import ImageNetworking
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

/// Content codings that a server applies although no request asked for them (FEATURES 4.12).
@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderContentCodings {
    let loader = CurlLoader()
    private static let plain = Data("GIF89a".utf8) + Data(0..<64) + Data(String(repeating: "calotype ", count: 20).utf8)
    // `plain`, made by Python's gzip and zlib.
    private static let gzip = bytes(
        "H4sIAAAAAAACA3P3dLOwTGRgZGJmYWVj5+Dk4ubh5eMXEBQSFhEVE5eQlJKWkZWTV1BUUlZRVVPX0NTS1tHV0zcwNDI2MTUzt7C0sraxtbNPTszJL6ksSF"
            + "UYQgwAQlKpEvoAAAA=")
    private static let zlib = bytes(
        "eNpz93SzsExkYGRiZmFlY+fg5OLm4eXjFxAUEhYRFROXkJSSlpGVk1dQVFJWUVVT19DU0tbR1dM3MDQyNjE1M7ewtLK2sbWzT07MyS+pLEhVGEIMAKluT50="
    )
    private static let raw = Array(zlib.dropFirst(2).dropLast(4))

    private static func bytes(_ base64: String) -> [UInt8] { Data(base64Encoded: base64).map(Array.init) ?? [] }

    private func server(
        _ coding: String, _ body: [UInt8], status: Int = 200, _ further: [(name: String, value: String)] = []
    ) throws -> LoopbackServer {
        try LoopbackServer(serving: { _ in
            .init(
                status, headers: [("Content-Encoding", coding), ("Accept-Ranges", "bytes"), ("ETag", "\"v1\"")] + further,
                body: body)
        })
    }

    @Test(arguments: [
        ("gzip", gzip), ("x-gzip", gzip), ("GZIP", gzip), ("deflate", zlib), ("deflate", raw), ("identity", Array(plain)),
    ])
    func aCodingIsUndone(_ coding: String, _ body: [UInt8]) async throws {
        let server = try server(coding, body)
        let response = try await loader.load(try server.request())
        // They describe bytes that the reader does not get, so a cache must not store them.
        #expect(response.head.headerFields[.contentEncoding] == nil)
        #expect(response.head.headerFields[.contentLength] == (coding == "identity" ? "\(Self.plain.count)" : nil))
        #expect(try await response.body.collected() == Self.plain)
    }

    /// What libcurl has besides; both vectors are "hello".
    @Test(arguments: [("br", "CwKAaGVsbG8D"), ("zstd", "KLUv/SAFKQAAaGVsbG8=")])
    func furtherCodingsOfTheLibraryAreUndone(_ coding: String, _ body: String) async throws {
        let server = try server(coding, Self.bytes(body))
        #expect(try await loader.load(try server.request()).body.text() == "hello")
    }

    @Test func severalCodingsAreUndone() async throws {
        // `gzip` in one stored block of zlib (RFC 1950, RFC 1951).
        let size = UInt16(Self.gzip.count)
        let block: [UInt8] = [0x78, 0x01, 1, UInt8(size & 0xFF), UInt8(size >> 8), UInt8(~size & 0xFF), UInt8(~size >> 8)]
        var (a, b) = (UInt32(1), UInt32(0))
        for byte in Self.gzip {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        let sum = [UInt8(b >> 8), UInt8(b & 0xFF), UInt8(a >> 8), UInt8(a & 0xFF)]
        let server = try server("gzip, deflate", block + Self.gzip + sum)
        #expect(try await loader.body(of: try server.request()) == Self.plain)
    }

    private static let damaged: [(coding: String, body: [UInt8])] = [
        ("br", gzip), ("gzip", [UInt8](repeating: 7, count: 100)),
        ("gzip", gzip.prefix(40) + [UInt8](repeating: 0xFF, count: 4) + gzip.dropFirst(44)),
        ("gzip, gzip, gzip, gzip, gzip, gzip, gzip", gzip), ("gzip", gzip + [UInt8](repeating: 7, count: 30)),
        ("gzip", gzip + gzip.prefix(30)), ("deflate", zlib + zlib), ("deflate", gzip),
        // A wrong checksum and a wrong length at the end.
        ("gzip", gzip.dropLast(8) + [0] + gzip.suffix(7)), ("gzip", gzip.dropLast() + [1]), ("deflate", zlib.dropLast() + [0]),
    ]

    /// Object stores keep such names from an upload. Browsers ignore them too.
    @Test(arguments: ["aws-chunked", "UTF-8", "frobnicate", "gzip, frobnicate"])
    func anUnknownCodingStays(_ coding: String) async throws {
        let server = try server(coding, Array(Self.plain))
        let response = try await loader.load(try server.request())
        #expect(response.head.headerFields[.contentEncoding] == coding)
        #expect(response.expectedBytes == Self.plain.count)
        #expect(try await response.body.collected() == Self.plain)
        #expect(response.redirects.isEmpty && server.requests.value == 1)
        var post = try server.request()
        post.method = .post
        #expect(try await loader.body(of: post) == Self.plain)
        #expect(server.requests.value == 2)
    }

    @Test(arguments: damaged)
    func aDamagedCodingIsABadResponse(_ coding: String, _ body: [UInt8]) async throws {
        let server = try server(coding, body)
        let error = try await imageError { _ = try await loader.body(of: try server.request()) }
        #expect(error.code == .badResponse)
        #expect(error.message.contains("content coding"))
    }

    /// A server that compresses while it is stopped, or stores what it got so far, sends such bodies as whole.
    @Test(arguments: ["gzip", "x-gzip", "deflate", "raw", "gzip, gzip"])
    func aCodedBodyThatEndsEarlyIsABadResponse(_ coding: String) async throws {
        let body = coding == "deflate" ? Self.zlib : coding == "raw" ? Self.raw : Self.gzip
        for length in Array(1...10) + [12, 60, body.count - 8, body.count - 1] {
            let bytes = coding == "gzip, gzip" ? Self.stored(Array(body.prefix(length))) : Array(body.prefix(length))
            let server = try server(coding == "raw" ? "deflate" : coding, bytes)
            let error = try await imageError { _ = try await loader.body(of: try server.request()) }
            #expect(error.code == .badResponse, "\(length)")
            #expect(error.message.contains("content coding"))
            #expect(server.requests.value == 1)
        }
    }

    /// RFC 1952, section 2.2.
    @Test func allMembersOfGzipAreRead() async throws {
        let server = try server("gzip", Self.gzip + Self.stored([]) + Self.gzip + Self.stored(Array("end".utf8)))
        #expect(try await loader.body(of: try server.request()) == Self.plain + Self.plain + Data("end".utf8))
        // A member that begins with the last byte of a packet.
        let slow = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")])
            for byte in Self.gzip + Self.gzip { try connection.writeChunk([byte]) }
            try connection.writeChunk([])
        }
        #expect(try await loader.body(of: try slow.request()) == Self.plain + Self.plain)
    }

    /// `gzip` in one stored block (RFC 1951, 3.2.4; RFC 1952).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        func little(_ value: UInt32, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> UInt32(8 * $0) & 0xFF) } }
        let size = UInt32(bytes.count)
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + little(size, 2) + little(~size, 2) + bytes + little(~sum, 4)
            + little(size, 4)
    }

    @Test func anEmptyBodyHasNoCodingToUndo() async throws {
        let server = try server("gzip", [])
        #expect(try await loader.body(of: try server.request()).isEmpty)
    }

    @Test func aBodyThatEndsEarlyIsLost() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Encoding", "gzip"), ("Content-Length", "\(Self.gzip.count)")])
            try connection.write(Array(Self.gzip.prefix(60)))
            connection.close()
        }
        #expect(try await imageError { _ = try await loader.body(of: try server.request()) }.code == .connectionLost)
    }

    /// A server that ignores what the request accepts.
    @Test(arguments: ["identity", "gzip"])
    func aRequestThatNamesCodingsIsServedAlike(_ accepted: String) async throws {
        let seen = Lock<[String?]>([])
        let server = try LoopbackServer(serving: { request in
            seen.withLock { $0.append(request["Accept-Encoding"]) }
            return .init(200, headers: [("Content-Encoding", "gzip")], body: Self.gzip)
        })
        var request = try server.request()
        request.headerFields[.acceptEncoding] = accepted
        #expect(try await loader.body(of: request) == Self.plain)
        #expect(seen.withLock { $0 } == [accepted])
    }

    /// A part of coded bytes cannot be undone.
    @Test func aRangeOfCodedBytesStaysAsItIs() async throws {
        let part = Array(Self.gzip[10..<20])
        let server = try server("gzip", part, status: 206, [("Content-Range", "bytes 10-19/\(Self.gzip.count)")])
        var request = try server.request()
        request.headerFields[.range] = "bytes=10-19"
        let response = try await loader.load(request)
        #expect(response.head.headerFields[.contentEncoding] == "gzip")
        #expect(try await response.body.collected() == Data(part))
    }

    @Test func aWholeResponseToARangeIsUndone() async throws {
        let server = try server("gzip", Self.gzip)
        var request = try server.request()
        request.headerFields[.range] = "bytes=10-19"
        #expect(try await loader.body(of: request) == Self.plain)
    }

    /// The bytes that arrived are not those of the ranges of the server.
    @Test func aDecodedBodyIsNotResumed() async throws {
        let ranges = Lock<[String?]>([])
        let server = try LoopbackServer { request, connection in
            ranges.withLock { $0.append(request["Range"]) }
            try connection.writeHeaders(
                200,
                headers: [
                    ("Content-Encoding", "gzip"), ("Content-Length", "\(Self.gzip.count)"), ("ETag", "\"v1\""),
                    ("Accept-Ranges", "bytes"),
                ])
            try connection.write(Array(Self.gzip.prefix(60)))
            connection.close()
        }
        let resuming = ResumingLoader(loader, minimumBytes: 1)
        for _ in 0..<2 {
            let request = try server.request(retries: 2)
            #expect(try await imageError { _ = try await resuming.body(of: request) }.code == .connectionLost)
        }
        #expect(ranges.withLock { $0 } == [nil, nil])
    }

    @Test func aResponseToHEADKeepsItsFields() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Encoding", "gzip"), ("Content-Length", "100")])
        }
        var request = try server.request()
        request.method = .head
        let response = try await loader.load(request)
        #expect(response.head.headerFields[.contentEncoding] == "gzip" && response.expectedBytes == 100)
        #expect(try await response.body.collected().isEmpty)
    }

    // MARK: Decompression bombs

    /// A raw deflate stream of zeros, 1:158: a literal, and matches of 258 bytes at distance 1, in 13 bits each.
    private static func zeros(compressedBytes: Int) -> [UInt8] {
        var (bytes, bits, count) = ([UInt8](), UInt64(0), 0)
        func add(_ value: UInt64, _ width: Int) {
            bits |= value << UInt64(count)
            count += width
            while count >= 8 {
                bytes.append(UInt8(bits & 0xFF))
                bits >>= 8
                count -= 8
            }
        }
        add(0b011, 3)
        // Huffman codes begin with their most significant bit: literal 0 is 00110000, length 258 11000101, distance 1
        // 00000.
        add(0b0000_1100, 8)
        while bytes.count < compressedBytes { add(0b0_0000_1010_0011, 13) }
        return bytes
    }

    @Test func theSizeLimitHoldsForDecodedBytes() async throws {
        // 160 MB.
        let bomb = Self.zeros(compressedBytes: 1 << 20)
        let server = try server("deflate", bomb)
        let error = try await imageError {
            for try await _ in try await loader.load(try server.request(maximumResponseBytes: 2_000_000)).body {}
        }
        #expect(error.code == .tooLarge)
        // Compressed bytes below the limit, and decoded ones above it.
        let small = try self.server("deflate", Self.zeros(compressedBytes: 1000))
        let request = try small.request(maximumResponseBytes: 100_000)
        #expect(try await imageError { _ = try await loader.body(of: request) }.code == .tooLarge)
    }

    /// A reader that does not read holds the server back. Otherwise the size limit would end the transfer.
    @Test func aSlowReaderPausesADecodedBody() async throws {
        let part = Self.zeros(compressedBytes: 1000)
        let sent = Lock(0)
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Encoding", "deflate"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk(part)
            while true {
                try connection.writeChunk(Array(part[14..<(14 + 13 * 50)]))
                sent.withLock { $0 += 1 }
            }
        }
        let response = try await loader.load(try server.request(maximumResponseBytes: 300 << 20))
        var before = -1
        repeat {
            before = sent.withLock { $0 }
            try await Task.sleep(for: .milliseconds(200))
        } while sent.withLock { $0 } != before
        #expect(server.disconnections.value == 0)
        withExtendedLifetime(response) {}
    }
}
