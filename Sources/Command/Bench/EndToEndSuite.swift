internal import Calotype
internal import ImageCore
internal import ImageDecoding
internal import ImageLoading

extension BenchmarkSuite {
    /// The whole way of pictures that nobody has seen before, by the standard wiring, beside the sum of what fetching them
    /// with curl and decoding them with the codec's own tool take.
    static let endToEnd = BenchmarkSuite(name: "endtoend", about: "200 pictures of 50 KB, cold, from nginx on loopback") {
        effort in
        let picture = try EndToEndBench.picture()
        let server = try WebServer(body: picture)
        defer { server.stop() }
        try await server.waitUntilReady()
        return try await EndToEndBench(server: server, effort: effort).rows()
    }
}

private struct EndToEndBench {
    static let pictures = 200

    /// What one round took for all pictures, in milliseconds.
    struct Figures {
        var time: Double
        var processor: Double
    }

    let server: WebServer
    let effort: BenchmarkEffort

    /// A JPEG of about 50 KB.
    static func picture() throws -> Data {
        let scene = DecodedImage(try BenchScene(size: PixelSize(width: 480, height: 360)).bitmap())
        let encoder = EncoderRegistry()
        var options = EncodeOptions()
        var best = Data()
        for quality in stride(from: 50, through: 98, by: 2) {
            options.quality = quality
            let file = try encoder.encode(scene, as: .jpeg, options: options)
            if best.isEmpty || abs(file.count - 50_000) < abs(best.count - 50_000) { best = file }
        }
        return best
    }

    func rows() async throws -> [BenchmarkRow] {
        var own: [Figures] = []
        var tools: [Figures] = []
        // The first round of each warms up and does not count.
        for round in 0...(effort == .smoke ? 2 : 9) {
            let (theirs, ours) = (try await curlThenCodec(), try await loadAll())
            if round > 0 {
                tools.append(theirs)
                own.append(ours)
            }
        }
        func row(_ what: String, _ figure: (Figures) -> Double) -> BenchmarkRow {
            BenchmarkRow(
                suite: "endtoend", name: what, median: Self.median(own.map(figure)), unit: "ms",
                peer: BenchmarkRow.Peer(
                    name: "curl + djpeg", value: Self.median(tools.map(figure)), ranHere: true, reach: 1.1))
        }
        return [row("200 pictures, time", \.time), row("200 pictures, processor", \.processor)]
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// A new loader with empty caches, and everything at once.
    private func loadAll() async throws -> Figures {
        let requests = try (0..<Self.pictures).map { number in
            guard let url = URL(string: "\(server.url.absoluteString)?\(number)") else {
                throw ImageError(.invalidRequest, message: "The server has no URL.")
            }
            return ImageRequest(url: url)
        }
        let (began, before) = (ContinuousClock.now, ProcessorTime.ofThisProcess)
        let loader = ImageLoader.standard(.memoryOnly)
        let tasks = requests.map { loader.task(for: $0) }
        for task in tasks { _ = try await task.response }
        return Figures(
            time: Units.milliseconds(.now - began), processor: Units.milliseconds(ProcessorTime.ofThisProcess - before))
    }

    /// Fetches with one curl, over as many connections as the loader has, and decodes each file with a djpeg of its own, as
    /// many at a time as there are processors.
    private func curlThenCodec() async throws -> Figures {
        let (url, folder) = (server.url.absoluteString, server.folder)
        return try await BlockingWork.run {
            let began = ContinuousClock.now
            let curl = try ChildProcess(
                "curl",
                ["-sZ", "--parallel-max", "6", "\(url)?[1-\(Self.pictures)]", "-o", "\(folder)/fetched-#1.jpg"])
            var usages = [curl.wait()]
            let atATime = max(1, ProcessInfo.processInfo.activeProcessorCount)
            for first in stride(from: 1, through: Self.pictures, by: atATime) {
                let numbers = first...min(Self.pictures, first + atATime - 1)
                let tools = try numbers.map {
                    try ChildProcess("djpeg", ["-outfile", "/dev/null", "\(folder)/fetched-\($0).jpg"])
                }
                usages += tools.map { $0.wait() }
            }
            guard usages.allSatisfy({ $0.status == 0 }) else {
                throw ImageError(.connectionLost, message: "curl or djpeg failed.")
            }
            let processor = usages.reduce(Duration.zero) { $0 + $1.processorTime }
            return Figures(time: Units.milliseconds(.now - began), processor: Units.milliseconds(processor))
        }
    }
}
