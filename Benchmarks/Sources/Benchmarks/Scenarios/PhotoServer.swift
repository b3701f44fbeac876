internal import Calotype
internal import CalotypeTesting
internal import Foundation
internal import LoopbackHTTP

/// A web server in this process with seeded photos, each under many URLs: `/photo-0.jpg`, `/photo-1.jpg` and so on.
struct PhotoServer {
    let server: LoopbackServer

    /// - Parameters:
    ///   - widths: The range of the widths in pixels. The photos are three quarters as high.
    ///   - different: The number of different photos.
    ///   - slices: Sends each photo in that many parts, with two milliseconds before each, like a network does.
    init(widths: ClosedRange<Int>, different: Int, slices: Int? = nil, seed: UInt64) throws {
        let photos = try Self.photos(widths: widths, count: different, seed: seed)
        server = try LoopbackServer { request, connection in
            guard let number = Int(request.path.dropFirst("/photo-".count).prefix { $0.isNumber }) else {
                return try connection.respond(LoopbackServer.Response(404))
            }
            let photo = photos[number % photos.count]
            let headers = [("Content-Type", "image/jpeg"), ("Cache-Control", "max-age=3600")]
            guard let slices else { return try connection.respond(LoopbackServer.Response(200, headers: headers, body: photo)) }
            try connection.writeHeaders(200, headers: headers + [("Content-Length", "\(photo.count)")])
            let length = (photo.count + slices - 1) / slices
            for start in stride(from: 0, to: photo.count, by: length) {
                Thread.sleep(forTimeInterval: 0.002)
                try connection.write(Array(photo[start..<min(photo.count, start + length)]))
            }
        }
    }

    static func photos(widths: ClosedRange<Int>, count: Int, seed: UInt64) throws -> [[UInt8]] {
        var random = SeededGenerator(seed: seed)
        return try (0..<count).map { index in
            let width = Int.random(in: widths, using: &random)
            let scene = try Scene(size: PixelSize(width: width, height: width * 3 / 4), seed: seed &+ UInt64(index)).bitmap()
            return Array(try Codecs.encoder.encode(DecodedImage(scene), as: .jpeg, options: EncodeOptions()))
        }
    }

    /// The requests of the first photos, at the size of a thumbnail.
    func requests(_ count: Int, width: Int) throws -> [ImageRequest] {
        try (0..<count).map { try request($0, width: width) }
    }

    func request(_ number: Int, width: Int) throws -> ImageRequest {
        ImageRequest(url: try .parsed(server.url("/photo-\(number).jpg")), size: PixelSize(width: width, height: width))
    }
}

extension ImageLoader {
    /// Loads all images at once, and returns the elapsed milliseconds.
    func milliseconds(_ requests: [ImageRequest]) async throws -> Double {
        let began = ContinuousClock.now
        let tasks = requests.map { task(for: $0) }
        for task in tasks { _ = try await task.response }
        return (.now - began) / .milliseconds(1)
    }
}
