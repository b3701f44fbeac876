internal import ImageCore
internal import ImageKernels
internal import ImageProcessing
internal import CalotypeSystem

extension BenchmarkSuite {
    /// The kernels on a computed photograph in memory beside Pillow and libvips, and every processor beside a plain copy.
    static let process = BenchmarkSuite(name: "process", about: "resampling, blur and every processor") { effort in
        let bench = try ProcessBench(effort: effort)
        var rows = try await bench.kernels()
        for step in ProcessBench.steps { rows += try await bench.processor(step) }
        for list in ["resize(400x300)", "blur(2)", "blur(20)", "sharpen", "rotate(10)", "rotate(90)", "sepia", "gamma(2.2)"] {
            rows.append(try await bench.twoThreads(list))
        }
        return rows
    }
}

private struct ProcessBench {
    /// A processor to measure, and what it has to do.
    struct Step {
        let list: String
        /// Times the whole picture, or the result, is gone through.
        let passes: Double
        /// Multiplications for each sample of the source, or looks into a table for each pixel.
        let taps: Double
        /// The like, of pixels that lie scattered about.
        let scattered: Double

        /// How many times the time of a copy it may take: ten for each pass, which reads, converts to numbers, rounds and
        /// writes where a copy only moves; two for each multiplication, of which a copy has none; five for those whose
        /// pixels have to be looked for.
        var reach: Double { 10 * passes + 2 * taps + 5 * scattered }

        init(_ list: String, passes: Double = 1, taps: Double = 0, scattered: Double = 0) {
            (self.list, self.passes, self.taps, self.scattered) = (list, passes, taps, scattered)
        }
    }

    static let steps: [Step] = [
        // Half the rows are made of twelve each, and a quarter of the pixels of twelve again.
        Step("resize(500x500)", taps: 6 + 3), Step("resize(500x500,fill,bilinear)", taps: 2 + 1),
        Step("crop(100,100,500,500)"), Step("crop-to(1:2,attention)"), Step("trim"), Step("pad(1100x1100,white)", passes: 2),
        Step("rotate(90)"), Step("rotate(45)", passes: 2, scattered: 16), Step("flip"), Step("grayscale", taps: 4),
        Step("sepia", taps: 4), Step("tint(#40c0ff)", taps: 4), Step("brightness(0.1)", taps: 4), Step("contrast(1.5)", taps: 4),
        Step("saturation(2)", taps: 4), Step("gamma(2.2)", taps: 3), Step("invert", taps: 4),
        Step("background(white)", passes: 2), Step("round(40)"),
        Step("circle"), Step("border(10)"), Step("blur(2)", taps: 13 * 2), Step("blur(20)", passes: 2, taps: 24 + 8 + 8),
        Step("sharpen", passes: 2, taps: 7 * 2), Step("pixelate(12)", taps: 2),
    ]

    let effort: BenchmarkEffort
    private let large: Bitmap
    private let square: Bitmap
    private let peers: ProcessPeers

    init(effort: BenchmarkEffort) throws {
        self.effort = effort
        large = try BenchScene(size: PixelSize(width: 4000, height: 3000)).bitmap()
        square = try BenchScene(size: PixelSize(width: 1000, height: 1000)).bitmap()
        peers = try ProcessPeers(large: large, square: square, runs: effort == .smoke ? 1 : 7)
    }

    /// What others have, too.
    func kernels() async throws -> [BenchmarkRow] {
        let shrink = ResizeGeometry(source: large.size, box: PixelSize(width: 400, height: 300), mode: .exact)
        let halve = ResizeGeometry(source: large.size, box: PixelSize(width: 2000, height: 1500), mode: .exact)
        var rows: [BenchmarkRow] = []
        func measure(_ name: String, _ work: ProcessPeers.Work, reach: Double, _ body: (_ threads: Int) throws -> Void)
            async throws
        {
            let cpu = try await effort.median { try Self.cpu { try body(1) } }
            for peer in peers.cpu(work, reach: reach) { rows.append(row("\(name), CPU", cpu, peer)) }
            let one = try await effort.median { try Self.wall { try body(1) } }
            let two = try await effort.median { try Self.wall { try body(2) } }
            let alone = BenchmarkRow.Peer(name: "one thread", value: one, ranHere: true, reach: 1 / 1.7)
            rows.append(row("\(name), two threads", two, alone))
            for peer in peers.wallOnTwo(work, reach: reach) { rows.append(row("\(name), two threads", two, peer)) }
        }
        try await measure("Lanczos3 4000x3000 to 400x300", .shrink, reach: 0.2) {
            _ = try Resampler.resize(large, to: shrink, threads: $0)
        }
        try await measure("the same with a reducing gap of 2", .shrinkReduced, reach: 1) {
            _ = try Resampler.resize(large, to: shrink, reducingGap: 2, threads: $0)
        }
        try await measure("Lanczos3 4000x3000 to 2000x1500", .halve, reach: 0.2) {
            _ = try Resampler.resize(large, to: halve, threads: $0)
        }
        try await measure("Gaussian blur, sigma 8, 1000x1000", .blur, reach: 0.4) {
            _ = try square.blurred(sigma: 8, threads: $0)
        }
        return rows
    }

    /// A processor on a megapixel, beside a copy of it, and its throughput.
    func processor(_ step: Step) async throws -> [BenchmarkRow] {
        let processors = try ProcessorList.parse(step.list)
        // What is opaque already needs no background.
        let isForAlpha = step.list.hasPrefix("background")
        let image = DecodedImage(isForAlpha ? try square.rounded(CornerRadii(200)) : square)
        let copy = try await effort.median { try Self.cpu { _ = try copied(square) } }
        let median = try await effort.median {
            try Self.cpu { for processor in processors { _ = try processor.process(image, context: ProcessingContext()) } }
        }
        let peer = BenchmarkRow.Peer(name: "a copy", value: copy, ranHere: true, reach: step.reach)
        let rate = Double(square.width * square.height) / median / 1000
        return [
            row("\(step.list), CPU a megapixel", median, peer),
            BenchmarkRow(suite: "process", name: "\(step.list), throughput", median: rate, unit: "MP/s"),
        ]
    }

    /// A processor with two threads on twelve megapixels, beside one thread.
    func twoThreads(_ list: String) async throws -> BenchmarkRow {
        let processors = try ProcessorList.parse(list)
        let image = DecodedImage(large)
        func elapsed(_ threads: Int) async throws -> Double {
            var context = ProcessingContext()
            context.threads = threads
            return try await effort.median {
                try Self.wall { for processor in processors { _ = try processor.process(image, context: context) } }
            }
        }
        let peer = BenchmarkRow.Peer(name: "one thread", value: try await elapsed(1), ranHere: true, reach: 1 / 1.7)
        return row("\(list) on 12 megapixels, two threads", try await elapsed(2), peer)
    }

    private func copied(_ bitmap: Bitmap) throws -> Bitmap {
        try unsafe Bitmap(size: bitmap.size, format: bitmap.format, alpha: bitmap.alpha) { pixels, _ in
            unsafe bitmap.withUnsafePixels { unsafe pixels.copyMemory(from: $0) }
        }
    }

    private func row(_ name: String, _ median: Double, _ peer: BenchmarkRow.Peer?) -> BenchmarkRow {
        BenchmarkRow(suite: "process", name: name, median: median, unit: "ms", peer: peer)
    }

    /// Processor time of the whole process, in milliseconds.
    private static func cpu(_ body: () throws -> Void) rethrows -> Double { try time(CLOCK_PROCESS_CPUTIME_ID, body) }

    private static func wall(_ body: () throws -> Void) rethrows -> Double { try time(CLOCK_MONOTONIC, body) }

    private static func time(_ clock: clockid_t, _ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            unsafe clock_gettime(clock, &time)
            return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        }
        let start = now()
        try body()
        return now() - start
    }
}
