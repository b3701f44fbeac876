import Calotype
import CalotypeTesting
import Foundation
import LoopbackHTTP
import Testing

/// Images in the bytes of a format follow the rules for the responses that they were made from.
@Suite(.timeLimit(.minutes(1))) struct EncodedImagesFollowHTTP {
    private typealias Response = LoopbackServer.Response

    private let disk = LoggedDataCache()
    private let requests = EventLog<LoopbackServer.Request>()

    /// Serves images of these reds, one after the other and the last one for ever. Answers 304 to its entity tag.
    private func server(_ control: String, reds: [UInt8] = [200]) throws -> LoopbackServer {
        let (requests, images) = (requests, try reds.map { try servedPNG(red: $0) })
        return try LoopbackServer(serving: { request in
            requests.append(request)
            let index = min(requests.count, reds.count) - 1
            let tag = "\"\(reds[index])\""
            let headers = [("Cache-Control", control), ("ETag", tag), ("Set-Cookie", "session=secret")]
            if request["If-None-Match"] == tag { return Response(304, headers: headers) }
            return Response(200, headers: headers, body: images[index])
        })
    }

    /// Loads, and waits until everything is stored.
    private func load(_ loader: ImageLoader, _ server: LoopbackServer, as format: ImageFormat = .png) async throws -> (
        red: UInt8, image: EncodedImage
    ) {
        let image = try await loader.encoded(for: imageRequest(server, size: PixelSize(20)), as: format)
        try await loader.flush()
        let decoded = try DecoderRegistry(.codecs).decode(image.data, options: DecodeOptions())
        #expect(decoded.size == PixelSize(width: 20, height: 10) && image.size == decoded.size && decoded.format == format)
        return (TestImages.pixel(of: decoded, x: 0, y: 0)[0], image)
    }

    private var tags: [String?] { requests.events.map { $0["If-None-Match"] } }
    private var hasEncodedImage: Bool { disk.keys.contains { $0.variant?.contains("as png") == true } }

    @Test(arguments: [ImageFormat.png, .webp, .jpeg]) func aFreshResultIsServedFromDisk(_ format: ImageFormat) async throws {
        let server = try server("max-age=600")
        defer { server.stop() }
        let loader = makeStandardLoader(disk: disk)
        for tier in [CacheTier.network, .disk] {
            let image = try await load(loader, server, as: format).image
            #expect(image.tier == tier && image.mediaType == format.mediaType)
            #expect(image.original?.headerFields[.cacheControl] == "max-age=600")
            #expect(image.original?.headerFields[.setCookie] == nil)
            let fresh = try #require(image.freshUntil).timeIntervalSinceNow
            #expect(fresh > 500 && fresh < 601)
        }
        #expect(requests.count == 1)
    }

    @Test func noStoreIsNeverWritten() async throws {
        let server = try server("no-store")
        defer { server.stop() }
        let loader = makeStandardLoader(disk: disk)
        let image = try await load(loader, server).image
        #expect(disk.keys.isEmpty && image.freshUntil == .distantPast)
        _ = try await load(loader, server)
        #expect(requests.count == 2)
    }

    @Test func aStaleResultIsConfirmedOrMadeAgain() async throws {
        let server = try server("no-cache", reds: [200, 200, 60])
        defer { server.stop() }
        let loader = makeStandardLoader(disk: disk)
        #expect(try await load(loader, server).red == 200)
        #expect(hasEncodedImage)
        let confirmed = try await load(loader, server)
        #expect(confirmed.red == 200 && confirmed.image.tier == .disk)
        let changed = try await load(loader, server)
        #expect(changed.red == 60 && changed.image.tier == .network)
        #expect(tags == [nil, "\"200\"", "\"200\""])
    }

    /// The bytes of the new version come with the answer to the question whether there is one.
    @Test(arguments: 0...2) func aNewVersionIsFetchedOnce(steps: Int) async throws {
        let server = try server("no-cache", reds: [200, 60])
        defer { server.stop() }
        let loader = makeStandardLoader(disk: disk) { $0.options.diskStorage = .processedImages }
        var request = imageRequest(server, size: PixelSize(20))
        request.options.processors = (0..<steps).map { RecordingProcessor("step \($0)") }
        for count in 1...2 {
            let image = try await loader.encoded(for: request, as: .png)
            try await loader.flush()
            #expect(image.tier == .network && requests.count == count)
        }
    }

    /// An image in memory may be older than what the server has just sent.
    @Test func anImageInMemoryIsNotTheSource() async throws {
        let server = try server("no-cache", reds: [200, 60])
        defer { server.stop() }
        let loader = makeStandardLoader(memory: MemoryCache(), disk: disk)
        let first = try await loader.response(for: imageRequest(server, size: PixelSize(20)))
        #expect(first.original?.status == .ok)
        try await loader.flush()
        #expect(try await load(loader, server).red == 60)
    }

    /// FEATURES 1.20: the stored head.
    @Test func theOriginalOfAnImageFromDiskHasItsHeader() async throws {
        let server = try server("max-age=600")
        defer { server.stop() }
        for storage in [DiskStorage.originalData, .processedImages] {
            let disk = LoggedDataCache()
            for tier in [CacheTier.network, .disk] {
                let loader = makeStandardLoader(disk: disk) { $0.options.diskStorage = storage }
                let response = try await loader.response(for: imageRequest(server, size: PixelSize(20)))
                try await loader.flush()
                #expect(response.tier == tier && response.original?.headerFields[.cacheControl] == "max-age=600")
                let names = response.original?.headerFields.map(\.name.canonicalName) ?? []
                #expect(names.allSatisfy { $0 != "set-cookie" && !$0.hasPrefix("calotype") })
            }
        }
    }

    @Test(arguments: [true, false]) func anAnimationIsEncodedAsTheCommandConvertsIt(animates: Bool) async throws {
        let (red, blue) = (try TestImages.solid(red: 200), try TestImages.solid(red: 10))
        let file = try #require(try WebPEncoder().encode(Frames([red, blue]), as: .webp, options: EncodeOptions()))
        let server = try LoopbackServer(serving: { _ in Response(200, body: Array(file)) })
        defer { server.stop() }
        let url = try #require(URL(string: server.url("/animation")))
        let loader = makeStandardLoader(disk: disk) { $0.options.animates = animates }
        let decoders = DecoderRegistry(.codecs)
        let webp = try await loader.encoded(for: url, as: .webp)
        #expect(try decoders.info(of: webp.data, limits: DecodingLimits()).frameCount == (animates ? 2 : 1))
        let still = try await loader.encoded(for: url, as: .png)
        #expect(try decoders.info(of: still.data, limits: DecodingLimits()).frameCount == 1)
    }

    private final class Frames: ImageAnimation {
        let images: [DecodedImage]
        let loopCount = 0
        init(_ images: [DecodedImage]) { self.images = images }
        var durations: [Duration] { images.map { _ in .milliseconds(50) } }
        func frame(at index: Int) -> DecodedImage { images[index] }
    }
}
