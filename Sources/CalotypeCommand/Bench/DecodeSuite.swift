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
        guard let cost = cost([program, "decode-once", "--help"]) else { return [] }
        return [
            BenchmarkRow(suite: "decode", name: "the command by itself, CPU", median: cost.milliseconds, unit: "ms"),
            BenchmarkRow(suite: "decode", name: "the command by itself, memory", median: cost.megabytes, unit: "MB"),
        ]
    }

    func full(_ kind: DecodeFiles.Kind, _ file: String, _ size: PixelSize) -> [BenchmarkRow] {
        guard let ours = cost([program, "decode-once", file]) else { return [] }
        let name = "\(kind.rawValue) \(Self.megapixels(size)) full"
        let peers: [(String, [String], Double)] =
            switch kind {
            case .jpeg, .progressiveJPEG: [("djpeg", ["djpeg", "-outfile", "/dev/null", file], 1.05)]
            case .webp, .losslessWebP: [("dwebp", ["dwebp", file, "-pam", "-o", "/dev/null"], 1.05)]
            case .avif: [("avifdec", ["avifdec", "-j", "1", file, files.folder + "/out.y4m"], 1.05)]
            case .png: [("Pillow", pillow("load", file), 1.05)]
            }
        return rows(name, ours, peers)
    }

    func thumbnail(_ kind: DecodeFiles.Kind, _ file: String, _ size: PixelSize) -> [BenchmarkRow] {
        let (name, output) = ("\(kind.rawValue) \(Self.megapixels(size)) to 400 px", files.folder + "/thumbnail.png")
        guard let ours = cost([program, "convert", file, output, "--size", "400x400"]) else { return [] }
        return rows(
            name, ours,
            [
                ("vipsthumbnail", ["vipsthumbnail", "-s", "400", "-o", files.folder + "/vips.png", file], 1),
                ("Pillow", pillow("thumbnail", file), 1),
            ])
    }

    /// From the call of `cancel` to the end of the decode, the worst of several moments.
    func cancellation(_ kind: DecodeFiles.Kind, _ file: String, _ size: PixelSize) async throws -> BenchmarkRow {
        let data = try Data(contentsOf: URL(filePath: file))
        let clock = ContinuousClock()
        let whole = try clock.measure { _ = try DecoderRegistry().decode(data, options: DecodeOptions()) }
        var worst = Duration.zero
        let moments = effort == .smoke ? 3 : 12
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

    private func rows(_ name: String, _ ours: Cost, _ peers: [(name: String, command: [String], reach: Double)]) -> [BenchmarkRow]
    {
        var rows: [BenchmarkRow] = []
        for peer in peers {
            let theirs = cost(peer.command)
            func row(_ what: String, _ unit: String, _ part: KeyPath<Cost, Double>, reach: Double) -> BenchmarkRow {
                BenchmarkRow(
                    suite: "decode", name: "\(name), \(what)", median: ours[keyPath: part], unit: unit,
                    peer: theirs.map {
                        BenchmarkRow.Peer(name: peer.name, value: $0[keyPath: part], ranHere: true, reach: reach)
                    })
            }
            rows.append(row("user CPU", "ms", \.milliseconds, reach: peer.reach))
            // A full decode holds the picture, which tools that write row by row do not.
            if name.hasSuffix("px") { rows.append(row("memory", "MB", \.megabytes, reach: 1)) }
        }
        return rows
    }

    /// What a process took.
    private struct Cost {
        /// In user mode.
        var milliseconds: Double
        /// At its peak.
        var megabytes: Double
    }

    /// The median of several runs; `nil` where the program is missing or fails. GNU time stands between, for the peak that
    /// the system reports includes that of the process which starts another.
    private func cost(_ command: [String]) -> Cost? {
        let report = files.folder + "/time.txt"
        var (times, peaks) = ([Double](), [Double]())
        for _ in 0..<(effort == .smoke ? 1 : 5) {
            guard let child = try? ChildProcess("time", ["-f", "%M", "-o", report] + command) else { return nil }
            let usage = child.wait()
            guard usage.status == 0, let text = try? String(contentsOf: URL(filePath: report), encoding: .utf8),
                let peak = text.split(separator: "\n").last.flatMap({ Double($0) })
            else { return nil }
            times.append(Units.milliseconds(usage.userTime))
            peaks.append(peak / 1024)
        }
        return Cost(milliseconds: times.sorted()[times.count / 2], megabytes: peaks.sorted()[peaks.count / 2])
    }
}

extension Result where Failure == any Error {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
