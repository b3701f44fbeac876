internal import CBenchmarks
internal import Calotype
internal import Foundation

extension Suite {
    /// Costs as the work grows. The report draws each as a line.
    static let growth = [
        Suite(name: "growth-images", summary: "10 to 10,000 thumbnails with empty caches") { effort, seed in
            try await GrowthBench(effort: effort, seed: seed).images()
        },
        Suite(name: "growth-connections", summary: "bodies of 50 KB from nginx over 1 to 64 connections") { effort, seed in
            try await GrowthBench(effort: effort, seed: seed).connections()
        },
        Suite(name: "growth-megapixels", summary: "JPEGs of 0.1 to 100 megapixels, decoded and to thumbnails") { effort, seed in
            try await GrowthBench(effort: effort, seed: seed).megapixels()
        },
    ]
}

private struct GrowthBench {
    private static let thumbnailWidth = 100

    let effort: Effort
    let seed: UInt64
    private var isSmoke: Bool { effort == .smoke }

    // MARK: Images

    func images() async throws -> [Row] {
        let photos = try PhotoServer(widths: 240...400, different: isSmoke ? 4 : 20, seed: seed)
        defer { photos.server.stop() }
        var rows: [Row] = []
        for count in isSmoke ? [10, 40] : [10, 100, 1_000, 10_000] {
            Progress.show("  \(count) images")
            rows += try await images(count, photos)
        }
        return rows
    }

    private func images(_ count: Int, _ photos: PhotoServer) async throws -> [Row] {
        let requests = try photos.requests(count, width: Self.thumbnailWidth)
        let files = try ScratchFolder()
        defer { files.remove() }
        let peers = ThumbnailPeers(folder: files)
        var own: [Double] = []
        var theirs: [ThumbnailPeers.Library: [Double]] = [:]
        for round in 0...(isSmoke ? 1 : count > 1_000 ? 3 : 9) {
            let cache = try ScratchFolder()
            defer { cache.remove() }
            let loader = ImageLoader.standard { $0.dataCache = DiskCache(.init(directory: cache.url)) }
            let time = try await loader.milliseconds(requests)
            // What is written later would create the folder again.
            try await loader.flush()
            let fetch = try await peers.fetch(count, from: photos)
            // The first round warms up.
            guard round > 0 else { continue }
            own.append(time)
            for library in ThumbnailPeers.Library.allCases {
                guard let fetch, let decode = try await peers.thumbnails(by: library, width: Self.thumbnailWidth) else {
                    continue
                }
                theirs[library, default: []].append(fetch + decode)
            }
        }
        return ThumbnailPeers.Library.allCases.map { library in
            row(
                "cold loads", own, "ms", Row.Peer(name: "curl, then \(library.rawValue)", samples: theirs[library]),
                Double(count), "images")
        }
    }

    // MARK: Connections

    func connections() async throws -> [Row] {
        let server = try WebServer(bodySize: NetworkClients.bodySize)
        defer { server.stop() }
        try await server.waitUntilReady()
        let clients = NetworkClients(server: server)
        var rows: [Row] = []
        for connections in isSmoke ? [1, 8] : [1, 2, 4, 8, 16, 32, 64] {
            Progress.show("  \(connections) connections")
            let count = isSmoke ? 64 : 2_048
            var own: [Double] = []
            var (loop, curl, asynchronous): ([Double?], [Double?], [Double?]) = ([], [], [])
            for _ in 0..<(isSmoke ? 1 : 7) {
                own.append(try await clients.ownLoader(count, connections).time)
                loop.append(try await clients.bareLoop(count, connections)?.time)
                curl.append(try await clients.curlCommand(count, connections)?.time)
                asynchronous.append(try await clients.program("AsyncHTTPClientPeer", count, connections)?.time)
            }
            for (name, times) in [("libcurl loop in C", loop), ("curl --parallel", curl), ("AsyncHTTPClient", asynchronous)] {
                rows.append(
                    row(
                        "time per request", own, "µs", Row.Peer(name: name, samples: times.compactMap { $0 }),
                        Double(connections), "connections"))
            }
        }
        return rows
    }

    // MARK: Megapixels

    func megapixels() async throws -> [Row] {
        let files = try DecodeFiles(seed: seed)
        defer { files.folder.remove() }
        var rows: [Row] = []
        for megapixels in isSmoke ? [0.01, 0.04] : [0.1, 1, 10, 100] {
            Progress.show("  \(megapixels) megapixels")
            let width = Int((megapixels * 1e6 * 4 / 3).squareRoot().rounded())
            let file = try files.make(.jpeg, PixelSize(width: width, height: width * 3 / 4))
            rows.append(try decode(file, megapixels))
            rows += try await thumbnails(file, megapixels, files.folder)
        }
        return rows
    }

    /// The processor time in a running process.
    private func decode(_ file: String, _ megapixels: Double) throws -> Row {
        let data = try Data(contentsOf: URL(filePath: file))
        var (own, library): ([Double], [Double]) = ([], [])
        // The first round warms up.
        for round in 0...(isSmoke ? 1 : 9) {
            let ours = try ProcessorTime.milliseconds { _ = try Codecs.decoder.decode(data, options: DecodeOptions()) }
            let theirs = try ProcessorTime.milliseconds {
                let isDecoded = unsafe data.withUnsafeBytes { bytes in
                    guard let base = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
                    return unsafe bench_decode_jpeg(base, bytes.count, true)
                }
                guard isDecoded else { throw ReportError(message: "libjpeg cannot decode \(file).") }
            }
            guard round > 0 else { continue }
            own.append(ours)
            library.append(theirs)
        }
        return row(
            "JPEG decode, CPU", own, "ms", Row.Peer(name: "libjpeg in C", samples: library), megapixels, "megapixels")
    }

    /// The processor time of a process that makes a thumbnail of 400 pixels.
    private func thumbnails(_ file: String, _ megapixels: Double, _ folder: ScratchFolder) async throws -> [Row] {
        let pillow =
            "from PIL import Image;i=Image.open('\(file)');i.draft('RGB',(800,800));"
            + "i.thumbnail((400,400),Image.LANCZOS,reducing_gap=2.0);i.save('\(folder.file("pillow.png"))')"
        let commands = [
            [Programs.path("calotype"), "convert", file, folder.file("own.png"), "--size", "400x400"],
            ["vipsthumbnail", "-s", "400", "-o", folder.file("vips.png"), file], [Programs.python, "-c", pillow],
        ]
        let effort = effort
        let costs = try await blocking {
            ProcessCost.measure(commands, effort: effort, report: folder.file("time.txt"), errorOfUserRatio: nil)
        }
        guard let own = costs[0] else { return [] }
        return zip(["vipsthumbnail", "Pillow"], costs.dropFirst()).map { name, cost in
            row(
                "JPEG to 400 px by a process, CPU", own.processorSamples, "ms",
                Row.Peer(name: name, samples: cost?.processorSamples), megapixels, "megapixels")
        }
    }

    private func row(
        _ line: String, _ samples: [Double], _ unit: String, _ peer: Row.Peer, _ amount: Double, _ amountUnit: String
    ) -> Row {
        Row(
            suite: "growth", name: "\(line), \(Axis.text(amount)) \(amountUnit)", samples: samples, unit: unit, peer: peer,
            amount: Row.Amount(line: line, value: amount, unit: amountUnit))
    }
}
