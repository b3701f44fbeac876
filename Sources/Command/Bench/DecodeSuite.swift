internal import ImageCore
internal import ImageDecoding

extension BenchmarkSuite {
    /// Whole processes that decode files of scenes like photographs, beside the codecs' own tools, libvips and Pillow: a
    /// suite for each format.
    static let decoding = DecodeFiles.Kind.allCases.map { kind in
        BenchmarkSuite(
            name: "decode-" + kind.rawValue.lowercased().replacing(" ", with: "-"),
            about: "\(kind.rawValue): full and scaled decodes, processor time and peak memory"
        ) { effort in
            let bench = try DecodeBench(kind, effort: effort)
            defer { bench.files.remove() }
            var rows = bench.idle()
            for size in bench.sizes {
                Console.showProgress("decode: \(kind.rawValue), \(size)")
                let file = try bench.files.make(kind, size)
                rows += try await bench.full(file, size) + bench.thumbnail(file, size)
                if size == bench.sizes.last { rows.append(try await bench.cancellation(file, size)) }
            }
            return rows
        }
    }
}

private struct DecodeBench {
    let effort: BenchmarkEffort
    let files: DecodeFiles
    private let kind: DecodeFiles.Kind
    /// A picture of one pixel: what a process takes for it is its start.
    private let dot: String

    init(_ kind: DecodeFiles.Kind, effort: BenchmarkEffort) throws {
        (self.kind, self.effort) = (kind, effort)
        files = try DecodeFiles()
        dot = try files.make(kind, PixelSize(width: 1, height: 1))
    }

    /// 2 and 24 megapixels.
    var sizes: [PixelSize] {
        let small = PixelSize(width: 1800, height: 1200)
        return effort == .smoke ? [small] : [small, PixelSize(width: 6000, height: 4000)]
    }

    private var program: String { CommandLine.arguments[0] }

    /// What the command takes for a picture of one pixel: part of each of its figures.
    func idle() -> [BenchmarkRow] {
        guard let cost = costs([toPixels(dot)])[0] else { return [] }
        let time = row("\(kind.rawValue), one pixel, CPU", cost.processor, "ms")
        return [time] + (cost.megabytes.map { [row("\(kind.rawValue), one pixel, memory", $0, "MB")] } ?? [])
    }

    private func row(_ name: String, _ value: Double, _ unit: String, _ peer: BenchmarkRow.Peer? = nil) -> BenchmarkRow {
        BenchmarkRow(suite: "decode", name: name, median: value, unit: unit, peer: peer)
    }

    /// A conversion to plain pixels that nobody keeps, as the codecs' tools do it.
    private func toPixels(_ file: String) -> [String] { [program, "convert", file, files.folder + "/null.rgba"] }

    /// Whole processes, and what is left of them without their start: that of the codecs' tools is less, because they can do one
    /// thing. Beside them a process that decodes to a bitmap, and that decode alone, in a process that runs anyway, as those have
    /// it who use the library.
    func full(_ file: String, _ size: PixelSize) async throws -> [BenchmarkRow] {
        let (peers, starts) = (toolsOfCodecs(file), toolsOfCodecs(dot))
        let name = "\(kind.rawValue) \(Self.megapixels(size)) full"
        let own = [toPixels(file), toPixels(dot), [program, "decode-once", file]]
        let costs = costs(own + (peers + starts).map(\.command), isUserTimeExact: true)
        let (theirs, theirStarts) = (costs[own.count...].prefix(peers.count), costs[own.count...].dropFirst(peers.count))
        var found = rows(name, costs[0], peers, Array(theirs), reachesMemory: false)
        guard let ours = costs[0], let ourStart = costs[1], let whole = costs[2] else { return found }
        let alone = try await alone(file)
        for (peer, (theirs, start)) in zip(peers, zip(theirs, theirStarts)) {
            guard let theirs, let start else { continue }
            let all = BenchmarkRow.Peer(name: peer.name, value: theirs.processor, ranHere: true, reach: peer.reach)
            found.append(row("\(name) to a bitmap, CPU", whole.processor, "ms", all))
            let rest = BenchmarkRow.Peer(
                name: peer.name + " without start", value: theirs.processor - start.processor, ranHere: true, reach: peer.reach)
            found.append(row("\(name), CPU without start", ours.processor - ourStart.processor, "ms", rest))
            found.append(row("\(name), CPU in a running process", alone, "ms", rest))
        }
        return found
    }

    /// What a decode adds to the processor time of this process.
    private func alone(_ file: String) async throws -> Double {
        let data = try Data(contentsOf: URL(filePath: file))
        return try await effort.median {
            let before = ProcessorTime.ofThisProcess
            _ = try DecoderRegistry().decode(data, options: DecodeOptions())
            return Units.milliseconds(ProcessorTime.ofThisProcess - before)
        }
    }

    /// The codec's own tool, or where it has none that decodes alone, another library.
    private func toolsOfCodecs(_ file: String) -> [Peer] {
        switch kind {
        case .jpeg, .progressiveJPEG: [Peer("djpeg", ["djpeg", "-outfile", "/dev/null", file], reach: 1.05)]
        case .webp, .losslessWebP: [Peer("dwebp", ["dwebp", file, "-pam", "-o", "/dev/null"], reach: 1.05)]
        case .avif:
            // The first stops at YUV; the second makes RGB too, and spends some time on a PNG that is not compressed.
            [
                Peer("avifdec, YUV", ["avifdec", "-j", "1", file, files.folder + "/null.y4m"], reach: 1.05),
                Peer(
                    "avifdec, RGB", ["avifdec", "-j", "1", "--png-compress", "0", file, files.folder + "/null.png"],
                    reach: 1.05),
            ]
        case .png: [Peer("Pillow", pillow("load", file), reach: 1.05)]
        }
    }

    func thumbnail(_ file: String, _ size: PixelSize) -> [BenchmarkRow] {
        let peers = [
            Peer("vipsthumbnail", ["vipsthumbnail", "-s", "400", "-o", files.folder + "/vips.png", file], reach: 1),
            Peer("Pillow", pillow("thumbnail", file), reach: 1),
        ]
        let costs = costs(
            [[program, "convert", file, files.folder + "/thumbnail.png", "--size", "400x400"]] + peers.map(\.command))
        return rows(
            "\(kind.rawValue) \(Self.megapixels(size)) to 400 px", costs[0], peers, Array(costs.dropFirst()), reachesMemory: true
        )
    }

    /// From the call of `cancel` to the end of the decode, the worst of several moments.
    func cancellation(_ file: String, _ size: PixelSize) async throws -> BenchmarkRow {
        let data = try Data(contentsOf: URL(filePath: file))
        let clock = ContinuousClock()
        let whole = try clock.measure { _ = try DecoderRegistry().decode(data, options: DecodeOptions()) }
        var worst = Duration.zero
        let moments = effort == .smoke ? 3 : 8
        for moment in 1...moments {
            var options = DecodeOptions()
            let token = CancellationToken()
            options.cancellation = token
            let wait = whole * moment / (moments + 1)
            let cancelled = Task.detached {
                try? await Task.sleep(for: wait)
                let now = clock.now
                token.cancel()
                return now
            }
            let wasCancelled = Result { try DecoderRegistry().decode(data, options: options) }.isCancellation
            let end = clock.now
            let began = await cancelled.value
            if wasCancelled { worst = max(worst, end - began) }
            // Codecs that cannot be stopped go on for as long.
            try await Task.sleep(for: whole)
        }
        return row(
            "\(kind.rawValue) \(Self.megapixels(size)), from cancel to end, worst", Units.milliseconds(worst), "ms",
            BenchmarkRow.Peer(name: "what is asked", value: 10, ranHere: true, reach: 1))
    }

    private static func megapixels(_ size: PixelSize) -> String {
        "\(((size.pixelCount ?? 0) + 500_000) / 1_000_000) Mpx"
    }

    /// Python's own way to a thumbnail of 400 pixels, at its fastest, or to all pixels.
    private func pillow(_ work: String, _ file: String) -> [String] {
        let own = ".build/bench-peers/bin/python3"
        let python = FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
        let rest =
            work == "load"
            ? "i.load()"
            : "i.draft('RGB',(800,800));i.thumbnail((400,400),Image.LANCZOS,reducing_gap=2.0);i.save('\(files.folder)/pillow.png')"
        return [python, "-c", "from PIL import Image;i=Image.open('\(file)');\(rest)"]
    }

    /// Another program that does the same.
    private struct Peer {
        let name: String
        let command: [String]
        let reach: Double

        init(_ name: String, _ command: [String], reach: Double) {
            (self.name, self.command, self.reach) = (name, command, reach)
        }
    }

    private func rows(
        _ name: String, _ ours: ProcessCost?, _ peers: [Peer], _ costs: [ProcessCost?], reachesMemory: Bool
    ) -> [BenchmarkRow] {
        guard let ours else { return [] }
        return zip(peers, costs).flatMap { peer, theirs in
            func compared(
                _ what: String, _ unit: String, reach: Double? = peer.reach, _ part: (ProcessCost) -> Double?
            ) -> BenchmarkRow? {
                guard let value = part(ours) else { return nil }
                let other = theirs.flatMap(part).map {
                    BenchmarkRow.Peer(name: peer.name, value: $0, ranHere: true, reach: reach)
                }
                return row("\(name), \(what)", value, unit, other)
            }
            var user = compared("user CPU", "ms", \.user)
            user?.ratioError = theirs.map { ours.errorOfUserRatio(to: $0) }
            let memory = compared("memory", "MB", reach: reachesMemory ? peer.reach : nil, \.megabytes)
            return [compared("CPU", "ms", \.processor), user, memory].compactMap { $0 }
        }
    }

    private func costs(_ commands: [[String]], isUserTimeExact: Bool = false) -> [ProcessCost?] {
        ProcessCost.measure(
            commands, effort: effort, report: files.folder + "/time.txt", errorOfUserRatio: isUserTimeExact ? 0.015 : nil)
    }
}

extension Result where Failure == any Error {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
