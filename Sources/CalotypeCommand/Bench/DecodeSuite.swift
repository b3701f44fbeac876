internal import ImageCore
internal import ImageDecoding

extension BenchmarkSuite {
    /// Whole processes that decode files of scenes like photographs, beside the codecs' own tools, libvips and Pillow.
    static let decode = BenchmarkSuite(name: "decode", about: "full and scaled decodes, processor time and peak memory") {
        effort in
        let bench = try DecodeBench(effort: effort)
        defer { bench.files.remove() }
        var rows = bench.idle()
        for size in bench.sizes {
            for kind in DecodeFiles.Kind.allCases {
                Console.showProgress("decode: \(kind.rawValue), \(size)")
                let file = try bench.files.make(kind, size)
                rows += bench.full(kind, file, size) + bench.thumbnail(kind, file, size)
                if size == bench.sizes.last { rows.append(try await bench.cancellation(kind, file, size)) }
            }
        }
        return rows
    }
}

private struct DecodeBench {
    let effort: BenchmarkEffort
    let files: DecodeFiles

    init(effort: BenchmarkEffort) throws {
        self.effort = effort
        files = try DecodeFiles()
    }

    /// 2 and 24 megapixels.
    var sizes: [PixelSize] {
        let small = PixelSize(width: 1800, height: 1200)
        return effort == .smoke ? [small] : [small, PixelSize(width: 6000, height: 4000)]
    }

    private var program: String { CommandLine.arguments[0] }

    /// What the command takes before it decodes anything: part of each of its figures.
    func idle() -> [BenchmarkRow] {
        guard let cost = costs([[program, "decode-once", "--help"]])[0] else { return [] }
        return [
            BenchmarkRow(suite: "decode", name: "the command by itself, CPU", median: cost.processor, unit: "ms"),
            BenchmarkRow(suite: "decode", name: "the command by itself, memory", median: cost.megabytes, unit: "MB"),
        ]
    }

    func full(_ kind: DecodeFiles.Kind, _ file: String, _ size: PixelSize) -> [BenchmarkRow] {
        let peers: [Peer] =
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
        // A full decode holds the picture, which tools that write row by row do not: its memory is not compared.
        return rows(
            "\(kind.rawValue) \(Self.megapixels(size)) full", [program, "decode-once", file], peers, comparesMemory: false)
    }

    func thumbnail(_ kind: DecodeFiles.Kind, _ file: String, _ size: PixelSize) -> [BenchmarkRow] {
        rows(
            "\(kind.rawValue) \(Self.megapixels(size)) to 400 px",
            [program, "convert", file, files.folder + "/thumbnail.png", "--size", "400x400"],
            [
                Peer("vipsthumbnail", ["vipsthumbnail", "-s", "400", "-o", files.folder + "/vips.png", file], reach: 1),
                Peer("Pillow", pillow("thumbnail", file), reach: 1),
            ], comparesMemory: true)
    }

    /// From the call of `cancel` to the end of the decode, the worst of several moments.
    func cancellation(_ kind: DecodeFiles.Kind, _ file: String, _ size: PixelSize) async throws -> BenchmarkRow {
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
        return BenchmarkRow(
            suite: "decode", name: "\(kind.rawValue) \(Self.megapixels(size)), from cancel to end, worst",
            median: Units.milliseconds(worst), unit: "ms",
            peer: BenchmarkRow.Peer(name: "what is asked", value: 10, ranHere: true, reach: 1))
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

    private func rows(_ name: String, _ command: [String], _ peers: [Peer], comparesMemory: Bool) -> [BenchmarkRow] {
        let costs = costs([command] + peers.map(\.command))
        guard let ours = costs[0] else { return [] }
        return zip(peers, costs.dropFirst()).flatMap { peer, theirs in
            func row(_ what: String, _ unit: String, _ part: KeyPath<Cost, Double>) -> BenchmarkRow {
                BenchmarkRow(
                    suite: "decode", name: "\(name), \(what)", median: ours[keyPath: part], unit: unit,
                    peer: theirs.map {
                        BenchmarkRow.Peer(name: peer.name, value: $0[keyPath: part], ranHere: true, reach: peer.reach)
                    })
            }
            let times = [row("CPU", "ms", \.processor), row("user CPU", "ms", \.user)]
            return comparesMemory ? times + [row("memory", "MB", \.megabytes)] : times
        }
    }

    /// What a process took.
    private struct Cost {
        /// In user and kernel mode, milliseconds.
        var processor: Double
        /// Of that in user mode: a mean, because the system tells the two apart by ticks of some milliseconds.
        var user: Double
        /// At its peak.
        var megabytes: Double

        static func median(of runs: [Cost]) -> Cost {
            func median(_ part: (Cost) -> Double) -> Double { runs.map(part).sorted()[runs.count / 2] }
            return Cost(
                processor: median(\.processor), user: runs.map(\.user).reduce(0, +) / Double(runs.count),
                megabytes: median(\.megabytes))
        }
    }

    /// Medians of several rounds, in each of which every command runs once, so that a machine that slows down does so for
    /// all; `nil` for a program that is missing or fails.
    private func costs(_ commands: [[String]]) -> [Cost?] {
        var runs = [[Cost]?](repeating: [], count: commands.count)
        for _ in 0..<(effort == .smoke ? 1 : 7) {
            for (index, command) in commands.enumerated() {
                guard let before = runs[index] else { continue }
                runs[index] = run(command).map { before + [$0] }
            }
        }
        return runs.map { $0.map(Cost.median(of:)) }
    }

    /// GNU time stands between, for the peak that the system reports includes that of the process which starts another.
    private func run(_ command: [String]) -> Cost? {
        let report = files.folder + "/time.txt"
        guard let child = try? ChildProcess("time", ["-f", "%M", "-o", report] + command) else { return nil }
        let usage = child.wait()
        guard usage.status == 0, let text = try? String(contentsOf: URL(filePath: report), encoding: .utf8),
            let peak = text.split(separator: "\n").last.flatMap({ Double($0) })
        else { return nil }
        return Cost(
            processor: Units.milliseconds(usage.processorTime), user: Units.milliseconds(usage.userTime), megabytes: peak / 1024)
    }
}

extension Result where Failure == any Error {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
