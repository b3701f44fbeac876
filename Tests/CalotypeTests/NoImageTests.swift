import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// A response that is no image never replaces or removes a stored image (FEATURES 5.9).
@Suite(.timeLimit(.minutes(1)))
struct ResponsesThatAreNoImage {
    private typealias Response = LoopbackServer.Response

    /// What the server sends instead of the image.
    enum Kind: CaseIterable {
        case html, json, empty, truncatedFile, truncatedBody, forbidden, notFound, serverError, htmlBehindARedirect
    }

    /// How loads keep the image on disk.
    enum Storage: CaseIterable {
        case original, finishedImage
    }

    private let disk = LoggedDataCache()

    /// A server whose image can be replaced by something else, and then goes down.
    private final class Site: Sendable {
        let isBroken = Lock(false)
        let requests = EventLog<String>()
    }

    private func server(_ kind: Kind, control: String, _ site: Site) throws -> LoopbackServer {
        let png = try servedPNG(red: 7)
        return try LoopbackServer { (request: LoopbackServer.Request, connection: LoopbackServer.Connection) in
            site.requests.append(request.path)
            let long = [("Cache-Control", "max-age=86400")]
            if request.path == "/login" {
                return try connection.respond(Response(200, headers: long, body: Array("<html>Log in</html>".utf8)))
            }
            guard site.isBroken.withLock({ $0 }) else {
                return try connection.respond(
                    Response(200, headers: [("Cache-Control", control), ("ETag", "\"1\"")], body: png))
            }
            switch kind {
            case .html: try connection.respond(Response(200, headers: long, body: Array("<html>Welcome</html>".utf8)))
            case .json: try connection.respond(Response(200, headers: long, body: Array(#"{"error":"quota"}"#.utf8)))
            case .empty: try connection.respond(Response(200, headers: long))
            case .truncatedFile: try connection.respond(Response(200, headers: long, body: Array(png.prefix(60))))
            case .truncatedBody:
                try connection.writeHeaders(200, headers: long + [("Content-Length", String(png.count))])
                try connection.write(Array(png.prefix(60)))
                connection.close()
            case .forbidden: try connection.respond(Response(403, headers: long))
            case .notFound: try connection.respond(Response(404, headers: long))
            case .serverError: try connection.respond(Response(500, headers: long))
            case .htmlBehindARedirect: try connection.respond(Response(302, headers: [("Location", "/login")] + long))
            }
        }
    }

    private func loader(_ storage: Storage) -> ImageLoader {
        makeStandardLoader(disk: disk) {
            if storage == .finishedImage { $0.options.diskStorage = .all }
        }
    }

    private func request(_ server: LoopbackServer, _ storage: Storage) -> ImageRequest {
        imageRequest(server, size: storage == .finishedImage ? PixelSize(width: 10, height: 10) : nil)
    }

    private func isRed(_ image: DecodedImage) -> Bool { TestImages.pixel(of: image, x: 0, y: 0)[0] == 7 }

    @Test(arguments: Kind.allCases, Storage.allCases)
    func doNotReplaceAStoredImageInTheForeground(_ kind: Kind, _ storage: Storage) async throws {
        let site = Site()
        let server = try server(kind, control: "max-age=0", site)
        defer { server.stop() }
        let (loader, request) = (loader(storage), request(server, storage))
        // Given a stored image.
        #expect(isRed(try await loader.image(for: request)))
        try await loader.flush()
        // When the server responds with something else.
        site.isBroken.withLock { $0 = true }
        _ = try? await loader.image(for: request)
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        try await loader.flush()
        // Then the image is still there, also when the server is down.
        server.stop()
        var cached = request
        cached.options.cachePolicy = .cacheOnly
        #expect(isRed(try await loader.image(for: cached)))
        #expect(isRed(try await loader.image(for: request)))
    }

    @Test(arguments: Kind.allCases, Storage.allCases)
    func doNotReplaceAStoredImageInTheBackground(_ kind: Kind, _ storage: Storage) async throws {
        let site = Site()
        let server = try server(kind, control: "max-age=0, stale-while-revalidate=86400", site)
        defer { server.stop() }
        let (loader, request) = (loader(storage), request(server, storage))
        #expect(isRed(try await loader.image(for: request)))
        try await loader.flush()
        site.isBroken.withLock { $0 = true }
        let before = site.requests.count
        // The stale image is served, and the other response arrives later.
        #expect(isRed(try await loader.image(for: request)))
        await site.requests.wait(forCount: before + 1)
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        try await loader.flush()
        server.stop()
        var cached = request
        cached.options.cachePolicy = .cacheOnly
        #expect(isRed(try await loader.image(for: cached)))
        #expect(isRed(try await loader.image(for: request)))
    }

    @Test func anotherImageReplacesAStoredOneInTheBackground() async throws {
        let hasChanged = Lock(false)
        let bodies = [try servedPNG(red: 7), try servedPNG(red: 9)]
        let server = try LoopbackServer(serving: { _ in
            let headers = [("Cache-Control", "max-age=0, stale-while-revalidate=86400")]
            return Response(200, headers: headers, body: bodies[hasChanged.withLock { $0 } ? 1 : 0])
        })
        defer { server.stop() }
        let (loader, request) = (loader(.original), imageRequest(server))
        #expect(isRed(try await loader.image(for: request)))
        try await loader.flush()
        hasChanged.withLock { $0 = true }
        #expect(isRed(try await loader.image(for: request)))
        try await server.requests.wait(forCount: 2)
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        try await loader.flush()
        server.stop()
        #expect(TestImages.pixel(of: try await loader.image(for: request), x: 0, y: 0)[0] == 9)
    }

    @Test func bytesThatAreNoImageAreNotServedToLaterLoadsOfBytes() async throws {
        let server = try LoopbackServer(serving: { _ in
            Response(200, headers: [("Cache-Control", "max-age=86400")], body: Array("<html>Log in</html>".utf8))
        })
        defer { server.stop() }
        let loader = loader(.original)
        _ = try await loader.data(for: imageRequest(server))
        try await loader.flush()
        #expect(disk.keys.isEmpty)
        _ = try await loader.data(for: imageRequest(server))
        #expect(server.requests.value == 2)
    }
}
