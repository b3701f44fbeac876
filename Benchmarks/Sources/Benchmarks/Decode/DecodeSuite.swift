internal import CBenchmarks
internal import Calotype
internal import Foundation

extension Suite {
    /// Decodes computed photographs, beside the codecs' own libraries and tools, libvips and Pillow. Each format has a
    /// suite.
    static let decoding = DecodeFiles.Kind.allCases.map { kind in
        Suite(
            name: kind.suiteName,
            summary: "\(kind.rawValue): full and scaled decodes, processor time and peak memory"
        ) { effort, seed in
            let bench = try DecodeBench(kind, effort: effort, seed: seed)
            defer { bench.files.folder.remove() }
            var rows = bench.start()
            for size in bench.sizes {
                Progress.show("  \(kind.rawValue), \(size)")
                let file = try bench.files.make(kind, size)
                rows += try await bench.inProcess(file, size) + bench.full(file, size) + bench.thumbnail(file, size)
                if size == bench.sizes.last { rows.append(try await bench.cancellation(file, size)) }
            }
            return rows
        }
    }
}

extension DecodeFiles.Kind {
    /// The name of the suite, such as `decode-progressive-jpeg`.
    fileprivate var suiteName: String { "decode-" + rawValue.lowercased().replacing(" ", with: "-") }
}

private struct DecodeBench {
    /// Another program that does the same work.
    struct Tool {
        let name: String
        let command: [String]
    }

    let effort: Effort
    let files: DecodeFiles
    private let kind: DecodeFiles.Kind
    /// An image of one pixel, whose decode shows the cost of starting a process.
    private let dot: String

    init(_ kind: DecodeFiles.Kind, effort: Effort, seed: UInt64) throws {
        (self.kind, self.effort) = (kind, effort)
        files = try DecodeFiles(seed: seed)
        dot = try files.make(kind, PixelSize(width: 1, height: 1))
    }

    /// 2 and 24 megapixels.
    var sizes: [PixelSize] {
        effort == .smoke
            ? [PixelSize(width: 300, height: 200)] : [PixelSize(width: 1800, height: 1200), PixelSize(width: 6000, height: 4000)]
    }

    // MARK: In this process

    /// Measures a decode in a running process, beside the codec's own library called from C. That decodes once into
    /// memory of `malloc`, and once into new memory, as Calotype does.
    func inProcess(_ file: String, _ size: PixelSize) async throws -> [Row] {
        let data = try Data(contentsOf: URL(filePath: file))
        var (own, library, libraryNew): ([Double], [Double], [Double]) = ([], [], [])
        func decodeByLibrary(usesNewMemory: Bool) throws {
            guard decodesByLibrary(data, usesNewMemory: usesNewMemory) else {
                throw ImageError(.corrupt, message: "The codec's library cannot decode.")
            }
        }
        // All take turns, so that a slow moment of the machine affects them alike. The first round warms up.
        for round in 0...(effort == .smoke ? 1 : 9) {
            let ours = try ProcessorTime.milliseconds { _ = try Codecs.decoder.decode(data, options: DecodeOptions()) }
            let theirs = try ProcessorTime.milliseconds { try decodeByLibrary(usesNewMemory: false) }
            let theirsNew = try ProcessorTime.milliseconds { try decodeByLibrary(usesNewMemory: true) }
            guard round > 0 else { continue }
            own.append(ours)
            library.append(theirs)
            libraryNew.append(theirsNew)
        }
        // A bitmap is new memory, so the budget is beside a loop that takes new memory too.
        return [("the library in C", library, nil), ("the library in C, new memory", libraryNew, 1.05)].map {
            name, times, budget in
            row(
                "\(kind.rawValue) \(Self.megapixels(size)) in a running process, CPU", own, "ms",
                Row.Peer(name: name, samples: times), budget: budget.map { .ratio($0) })
        }
    }

    private func decodesByLibrary(_ data: Data, usesNewMemory: Bool) -> Bool {
        unsafe data.withUnsafeBytes { bytes in
            guard let base = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
            return switch kind {
            case .jpeg, .progressiveJPEG: unsafe bench_decode_jpeg(base, bytes.count, usesNewMemory)
            case .png: unsafe bench_decode_png(base, bytes.count, usesNewMemory)
            case .webp, .losslessWebP: unsafe bench_decode_webp(base, bytes.count, usesNewMemory)
            case .avif: unsafe bench_decode_avif(base, bytes.count, usesNewMemory)
            }
        }
    }

    // MARK: Whole processes

    /// Measures the command with an image of one pixel. Its cost is part of every other figure.
    func start() -> [Row] {
        guard let cost = costs([toPixels(dot)])[0] else { return [] }
        let memory = cost.megabytes.map { row("\(kind.rawValue), one pixel, memory", [$0], "MB") }
        return [row("\(kind.rawValue), one pixel, CPU", cost.processorSamples, "ms"), memory].compactMap { $0 }
    }

    /// Measures a conversion to RGBA that is discarded, like the codecs' tools, and a decode to a bitmap.
    func full(_ file: String, _ size: PixelSize) -> [Row] {
        let tools = toolsOfCodecs(file)
        let name = "\(kind.rawValue) \(Self.megapixels(size))"
        let own = [toPixels(file), [Programs.path("DecodeOnce"), file]]
        let costs = costs(own + tools.map(\.command), isUserTimeExact: true)
        let theirs = Array(costs.dropFirst(own.count))
        return rows("\(name) full", costs[0], tools, theirs)
            + zip(tools, theirs).compactMap { tool, cost in
                costs[1].map {
                    row(
                        "\(name) to a bitmap, CPU", $0.processorSamples, "ms",
                        Row.Peer(name: tool.name, samples: cost?.processorSamples))
                }
            }
    }

    func thumbnail(_ file: String, _ size: PixelSize) -> [Row] {
        let tools = [
            Tool(name: "vipsthumbnail", command: ["vipsthumbnail", "-s", "400", "-o", files.folder.file("vips.png"), file]),
            Tool(name: "Pillow", command: pillow("thumbnail", file)),
        ]
        let own = [Programs.path("calotype"), "convert", file, files.folder.file("thumbnail.png"), "--size", "400x400"]
        let costs = costs([own] + tools.map(\.command))
        let hasBudget = kind == .jpeg && size.width == 6000
        return rows(
            "\(kind.rawValue) \(Self.megapixels(size)) to 400 px", costs[0], tools, Array(costs.dropFirst()),
            budget: hasBudget ? .ratio(1) : nil)
    }

    private func toPixels(_ file: String) -> [String] {
        [Programs.path("calotype"), "convert", file, files.folder.file("null.rgba")]
    }

    /// The codec's own tools, or another library if it has none that only decodes.
    private func toolsOfCodecs(_ file: String) -> [Tool] {
        switch kind {
        case .jpeg, .progressiveJPEG: [Tool(name: "djpeg", command: ["djpeg", "-outfile", "/dev/null", file])]
        case .webp, .losslessWebP: [Tool(name: "dwebp", command: ["dwebp", file, "-pam", "-o", "/dev/null"])]
        case .avif:
            // The first ends with YUV; the second also converts to RGB, and writes an uncompressed PNG.
            [
                Tool(name: "avifdec, YUV", command: ["avifdec", "-j", "1", file, files.folder.file("null.y4m")]),
                Tool(
                    name: "avifdec, RGB",
                    command: ["avifdec", "-j", "1", "--png-compress", "0", file, files.folder.file("null.png")]),
            ]
        case .png: [Tool(name: "Pillow", command: pillow("load", file))]
        }
    }

    /// Pillow's fastest way to make a thumbnail of 400 pixels, or to decode all pixels.
    private func pillow(_ work: String, _ file: String) -> [String] {
        let rest =
            work == "load"
            ? "i.load()"
            : "i.draft('RGB',(800,800));i.thumbnail((400,400),Image.LANCZOS,reducing_gap=2.0);"
                + "i.save('\(files.folder.file("pillow.png"))')"
        return [Programs.python, "-c", "from PIL import Image;i=Image.open('\(file)');\(rest)"]
    }

    // MARK: Cancellation

    /// Measures the time from the cancellation to the end of the decode, at several moments, and returns the longest.
    func cancellation(_ file: String, _ size: PixelSize) async throws -> Row {
        let data = try Data(contentsOf: URL(filePath: file))
        let clock = ContinuousClock()
        let whole = try clock.measure { _ = try Codecs.decoder.decode(data, options: DecodeOptions()) }
        var times: [Double] = []
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
            let wasCancelled = Result { try Codecs.decoder.decode(data, options: options) }.isCancellation
            let end = clock.now
            let began = await cancelled.value
            if wasCancelled { times.append((end - began) / .milliseconds(1)) }
            // Wait for a codec that cannot be interrupted, and still decodes in the background.
            try await Task.sleep(for: whole)
        }
        return Row(
            suite: kind.suiteName, name: "\(kind.rawValue) \(Self.megapixels(size)), from cancel to end, worst",
            median: times.max() ?? 0, samples: times, unit: "ms")
    }

    // MARK: Rows

    private static func megapixels(_ size: PixelSize) -> String {
        let pixels = Double(size.width * size.height) / 1e6
        return pixels < 1 ? "\(size)" : "\(Int(pixels.rounded())) Mpx"
    }

    private func row(
        _ name: String, _ samples: [Double], _ unit: String, _ peer: Row.Peer? = nil, budget: Row.Budget? = nil
    ) -> Row {
        Row(suite: kind.suiteName, name: name, samples: samples, unit: unit, peer: peer, budget: budget)
    }

    private func rows(
        _ name: String, _ ours: ProcessCost?, _ tools: [Tool], _ costs: [ProcessCost?], budget: Row.Budget? = nil
    ) -> [Row] {
        guard let ours else { return [] }
        return zip(tools, costs).flatMap { tool, theirs in
            let processor = row(
                "\(name), CPU", ours.processorSamples, "ms", Row.Peer(name: tool.name, samples: theirs?.processorSamples),
                budget: budget)
            // The system samples user time, so its mean is exact and its median is not.
            let user = Row(
                suite: kind.suiteName, name: "\(name), user CPU", median: ours.user, samples: ours.userSamples, unit: "ms",
                peer: Row.Peer(name: tool.name, value: theirs?.user, samples: theirs?.userSamples ?? []),
                ratioError: theirs.map { ours.errorOfUserRatio(to: $0) })
            let memory = ours.megabytes.map {
                row(
                    "\(name), memory", [$0], "MB", Row.Peer(name: tool.name, samples: theirs?.megabytes.map { [$0] }),
                    budget: budget)
            }
            return [processor, user, memory].compactMap { $0 }
        }
    }

    private func costs(_ commands: [[String]], isUserTimeExact: Bool = false) -> [ProcessCost?] {
        ProcessCost.measure(
            commands, effort: effort, report: files.folder.file("time.txt"), errorOfUserRatio: isUserTimeExact ? 0.015 : nil)
    }
}

extension Result where Failure == any Error {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
