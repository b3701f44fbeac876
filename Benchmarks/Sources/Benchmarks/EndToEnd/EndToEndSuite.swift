internal import Calotype
internal import Foundation

extension Suite {
    /// Measures cold loads with the standard configuration, beside the sum of fetching with curl and decoding with the
    /// codec's own tool.
    static let endToEnd = Suite(name: "endtoend", summary: "200 JPEGs of 50 KB, cold, from nginx on loopback") { effort, seed in
        let server = try WebServer(body: EndToEndBench.jpeg(seed: seed))
        defer { server.stop() }
        try await server.waitUntilReady()
        return try await EndToEndBench(server: server, effort: effort).rows()
    }
}

private struct EndToEndBench {
    static let images = 200

    /// The time of a round for all images, in milliseconds.
    struct Figures {
        var time: Double
        var processor: Double
    }

    let server: WebServer
    let effort: Effort

    /// A JPEG of about 50 KB.
    static func jpeg(seed: UInt64) throws -> Data {
        let scene = DecodedImage(try Scene(size: PixelSize(width: 480, height: 360), seed: seed).bitmap())
        var options = EncodeOptions()
        var best = Data()
        for quality in stride(from: 50, through: 98, by: 2) {
            options.quality = quality
            let file = try Codecs.encoder.encode(scene, as: .jpeg, options: options)
            if best.isEmpty || abs(file.count - 50_000) < abs(best.count - 50_000) { best = file }
        }
        return best
    }

    func rows() async throws -> [Row] {
        var own: [Figures] = []
        var tools: [Figures]? = []
        // The first round of each warms up and does not count.
        for round in 0...(effort == .smoke ? 2 : 9) {
            let (theirs, ours) = (try await curlThenCodec(), try await loadAll())
            guard round > 0 else { continue }
            own.append(ours)
            tools = theirs.flatMap { theirs in tools.map { $0 + [theirs] } }
        }
        func row(_ what: String, _ figure: (Figures) -> Double) -> Row {
            Row(
                suite: "endtoend", name: what, samples: own.map(figure), unit: "ms",
                peer: Row.Peer(name: "curl + djpeg", samples: tools?.map(figure)))
        }
        return [row("200 images, time", \.time), row("200 images, processor", \.processor)]
    }

    /// Loads all images at once with a new loader and empty caches.
    private func loadAll() async throws -> Figures {
        let requests = try (0..<Self.images).map {
            ImageRequest(url: try .parsed("\(server.url.absoluteString)?\($0)"))
        }
        let (began, before) = (ContinuousClock.now, ProcessorTime.now)
        let loader = ImageLoader.standard(.memoryOnly)
        let tasks = requests.map { loader.task(for: $0) }
        for task in tasks { _ = try await task.response }
        return Figures(
            time: (.now - began) / .milliseconds(1), processor: (ProcessorTime.now - before) / .milliseconds(1))
    }

    /// Fetches with one curl over as many connections as the loader has, and decodes each file with a djpeg process, as
    /// many at a time as there are processors. Returns `nil` when a tool is missing.
    private func curlThenCodec() async throws -> Figures? {
        let (url, folder) = (server.url.absoluteString, server.folder)
        return try await blocking {
            let began = ContinuousClock.now
            guard
                let curl = try? ChildProcess([
                    "curl", "-sZ", "--parallel-max", "6", "\(url)?[1-\(Self.images)]", "-o", folder.file("fetched-#1.jpg"),
                ])
            else { return nil }
            var usages = [curl.wait()]
            let atATime = max(1, ProcessInfo.processInfo.activeProcessorCount)
            for first in stride(from: 1, through: Self.images, by: atATime) {
                let numbers = first...min(Self.images, first + atATime - 1)
                let tools = numbers.compactMap {
                    try? ChildProcess(["djpeg", "-outfile", "/dev/null", folder.file("fetched-\($0).jpg")])
                }
                guard tools.count == numbers.count else { return nil }
                usages += tools.map { $0.wait() }
            }
            guard usages.allSatisfy({ $0.status == 0 }) else {
                throw ImageError(.connectionLost, message: "curl or djpeg failed.")
            }
            let processor = usages.reduce(Duration.zero) { $0 + $1.processorTime }
            return Figures(time: (.now - began) / .milliseconds(1), processor: processor / .milliseconds(1))
        }
    }
}
