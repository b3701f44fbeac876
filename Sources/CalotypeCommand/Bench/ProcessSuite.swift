internal import ImageCore
internal import ImageKernels
internal import ImageProcessing
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension BenchmarkSuite {
    /// The kernels on pictures of noise in memory: beside Pillow where Python has it, else beside what it took on a machine
    /// of the same kind.
    static let process = BenchmarkSuite(name: "process", about: "resampling, blur and every processor") { effort in
        let bench = try ProcessBench(effort: effort)
        var rows = [
            try await bench.resize(), try await bench.resizeOnTwoThreads(), try await bench.reduce(), try await bench.halve(),
            try await bench.blur(),
        ]
        for list in ProcessBench.lists { rows.append(try await bench.processor(list)) }
        return rows
    }
}

private struct ProcessBench {
    /// What every processor is measured with, and how many times the time of a copy it may take.
    static let lists: [(text: String, reach: Double)] = [
        ("resize(500x500)", 16), ("resize(500x500,fill,bilinear)", 8), ("crop(100,100,500,500)", 1), ("trim", 4),
        ("pad(1100x1100,white)", 20), ("rotate(90)", 5), ("rotate(10)", 200), ("flip", 5), ("grayscale", 10), ("sepia", 10),
        ("contrast(1.5)", 10), ("gamma(2.2)", 30), ("round(40)", 4), ("circle", 10), ("border(10)", 4), ("blur(2)", 25),
        ("blur(20)", 60), ("sharpen", 30), ("pixelate(12)", 6),
    ]

    let effort: BenchmarkEffort
    private let large: Bitmap
    private let square: Bitmap

    init(effort: BenchmarkEffort) throws {
        self.effort = effort
        large = try Self.noise(PixelSize(width: 4000, height: 3000))
        square = try Self.noise(PixelSize(width: 1000, height: 1000))
    }

    func resize() async throws -> BenchmarkRow {
        let geometry = ResizeGeometry(source: large.size, box: PixelSize(width: 400, height: 300), mode: .exact)
        let median = try await effort.median { try Self.cpu { _ = try Resampler.resize(large, to: geometry) } }
        let peer = Self.pillow(
            "i.resize((400,300),Image.LANCZOS)", width: 4000, height: 3000, recorded: 91, reach: 0.2,
            runs: effort == .smoke ? 1 : 5)
        return row("Lanczos3 4000x3000 to 400x300, CPU", median, "ms", peer)
    }

    func resizeOnTwoThreads() async throws -> BenchmarkRow {
        let geometry = ResizeGeometry(source: large.size, box: PixelSize(width: 400, height: 300), mode: .exact)
        let one = try await effort.median { try Self.wall { _ = try Resampler.resize(large, to: geometry) } }
        let two = try await effort.median { try Self.wall { _ = try Resampler.resize(large, to: geometry, threads: 2) } }
        let peer = BenchmarkRow.Peer(name: "one thread", value: one, ranHere: true, reach: 1 / 1.7)
        return row("the same on two threads, wall", two, "ms", peer)
    }

    func reduce() async throws -> BenchmarkRow {
        let geometry = ResizeGeometry(source: large.size, box: PixelSize(width: 400, height: 300), mode: .exact)
        let median = try await effort.median { try Self.cpu { _ = try Resampler.resize(large, to: geometry, reducingGap: 2) } }
        let peer = Self.pillow(
            "i.resize((400,300),Image.LANCZOS,reducing_gap=2)", width: 4000, height: 3000, recorded: 13, reach: 1,
            runs: effort == .smoke ? 1 : 5)
        return row("the same with a reducing gap of 2, CPU", median, "ms", peer)
    }

    func halve() async throws -> BenchmarkRow {
        let geometry = ResizeGeometry(source: large.size, box: PixelSize(width: 2000, height: 1500), mode: .exact)
        let median = try await effort.median { try Self.cpu { _ = try Resampler.resize(large, to: geometry) } }
        let peer = Self.pillow(
            "i.resize((2000,1500),Image.LANCZOS)", width: 4000, height: 3000, recorded: 135, reach: 0.2,
            runs: effort == .smoke ? 1 : 5)
        return row("Lanczos3 4000x3000 to 2000x1500, CPU", median, "ms", peer)
    }

    func blur() async throws -> BenchmarkRow {
        let median = try await effort.median { try Self.cpu { _ = try square.blurred(sigma: 8) } }
        let peer = Self.pillow(
            "i.filter(ImageFilter.GaussianBlur(8))", width: 1000, height: 1000, recorded: 27, reach: 0.4,
            runs: effort == .smoke ? 1 : 5)
        return row("Gaussian blur, sigma 8, 1000x1000, CPU", median, "ms", peer)
    }

    func processor(_ list: (text: String, reach: Double)) async throws -> BenchmarkRow {
        let processors = try ProcessorList.parse(list.text)
        let image = DecodedImage(square)
        let copy = try await effort.median { try Self.cpu { _ = try copied(square) } }
        let median = try await effort.median {
            try Self.cpu { for processor in processors { _ = try processor.process(image, context: ProcessingContext()) } }
        }
        return row(
            list.text + ", CPU a megapixel", median, "ms",
            BenchmarkRow.Peer(name: "a copy", value: copy, ranHere: true, reach: list.reach))
    }

    private func copied(_ bitmap: Bitmap) throws -> Bitmap {
        try unsafe Bitmap(size: bitmap.size, format: bitmap.format, alpha: bitmap.alpha) { pixels, _ in
            unsafe bitmap.withUnsafePixels { unsafe pixels.copyMemory(from: $0) }
        }
    }

    private func row(_ name: String, _ median: Double, _ unit: String, _ peer: BenchmarkRow.Peer?) -> BenchmarkRow {
        BenchmarkRow(suite: "process", name: name, median: median, unit: unit, peer: peer)
    }

    /// Opaque noise, the same in every run.
    private static func noise(_ size: PixelSize) throws -> Bitmap {
        try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, _ in
            var state: UInt64 = 1
            for i in 0..<pixels.count {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                unsafe pixels[i] = i & 3 == 3 ? 255 : UInt8(truncatingIfNeeded: state >> 56)
            }
        }
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

    /// What Pillow takes for an expression on an RGB picture `i` of noise: measured now where `python3` has Pillow.
    private static func pillow(
        _ expression: String, width: Int, height: Int, recorded: Double, reach: Double, runs: Int
    ) -> BenchmarkRow.Peer {
        let script =
            "import os,time;from PIL import Image,ImageFilter;i=Image.frombytes('RGB',(\(width),\(height)),os.urandom(\(width * height * 3)))\n"
            + "def t():\n s=time.process_time();\(expression);return time.process_time()-s\n"
            + "print(sorted(t() for _ in range(\(runs)))[\(runs / 2)]*1e3)"
        let measured = output(of: "python3 -c \"\(script)\" 2>/dev/null").flatMap(Double.init)
        return BenchmarkRow.Peer(name: "Pillow", value: measured ?? recorded, ranHere: measured != nil, reach: reach)
    }

    /// The first line that a shell command writes.
    private static func output(of command: String) -> String? {
        guard let pipe = unsafe popen(command, "r") else { return nil }
        defer { unsafe pclose(pipe) }
        var line = [CChar](repeating: 0, count: 64)
        guard unsafe fgets(&line, Int32(line.count), pipe) != nil else { return nil }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
