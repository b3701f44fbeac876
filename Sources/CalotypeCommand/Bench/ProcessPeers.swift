internal import ImageCore
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What Pillow and libvips take for the same work on the same picture, measured in this run by Python where it has them
/// (`Scripts/bench-peers` installs them); else what they took on a machine of the same kind.
struct ProcessPeers {
    enum Work: String, CaseIterable {
        /// Lanczos, 4000×3000 to 400×300.
        case shrink
        /// The same, reduced before to twice the result.
        case shrinkReduced
        /// Lanczos, 4000×3000 to 2000×1500.
        case halve
        /// Gaussian, σ 8, 1000×1000.
        case blur
    }

    enum Library: String {
        case pillow = "Pillow"
        case vips = "libvips"
    }

    /// Processor time, in milliseconds.
    private static let recorded: [String: Double] = [
        "pillow shrink": 91, "pillow shrinkReduced": 13, "pillow halve": 135, "pillow blur": 27, "vips shrink": 140,
        "vips shrinkReduced": 40, "vips halve": 150, "vips blur": 27,
    ]

    /// By library, work, and threads: processor time and elapsed time, in milliseconds.
    private let measured: [String: (cpu: Double, wall: Double)]

    /// - Parameters:
    ///   - large: 4000×3000.
    ///   - square: 1000×1000.
    init(large: Bitmap, square: Bitmap, runs: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-bench-\(getpid())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try large.writePPM(to: folder + "/large.ppm")
        try square.writePPM(to: folder + "/square.ppm")
        try AtomicFile.write(Data(Self.script.utf8), to: folder + "/peers.py")
        var measured: [String: (cpu: Double, wall: Double)] = [:]
        for threads in [1, 2] {
            let python = FileManager.default.isExecutableFile(atPath: Self.ownPython) ? Self.ownPython : "python3"
            let command = "VIPS_CONCURRENCY=\(threads) \(python) \(folder)/peers.py \(folder) \(runs) 2>/dev/null"
            for line in Self.lines(of: command) {
                let fields = line.split(separator: " ").map(String.init)
                guard fields.count == 4, let cpu = Double(fields[2]), let wall = Double(fields[3]) else { continue }
                measured["\(fields[0]) \(fields[1]) \(threads)"] = (cpu, wall)
            }
        }
        self.measured = measured
    }

    /// A library's processor time for work on one thread.
    func cpu(_ library: Library, _ work: Work, reach: Double) -> BenchmarkRow.Peer {
        let name = "\(library) \(work)"
        let here = measured[name + " 1"]?.cpu
        return BenchmarkRow.Peer(
            name: library.rawValue, value: here ?? Self.recorded[name] ?? 0, ranHere: here != nil, reach: reach)
    }

    /// A library's elapsed time for work with two threads; `nil` where it was not measured here.
    func wallOnTwo(_ library: Library, _ work: Work, reach: Double) -> BenchmarkRow.Peer? {
        measured["\(library) \(work) 2"].map {
            BenchmarkRow.Peer(name: library.rawValue, value: $0.wall, ranHere: true, reach: reach)
        }
    }

    /// Where `Scripts/bench-peers` puts a Python of its own.
    private static let ownPython = ".build/bench-peers/bin/python3"

    /// Prints for each library and work the medians of processor and elapsed time.
    private static let script = """
        import sys, time
        folder, runs = sys.argv[1], int(sys.argv[2])
        def measure(name, body):
            body()
            cpu, wall = [], []
            for _ in range(runs):
                c, w = time.process_time(), time.perf_counter()
                body()
                cpu.append(time.process_time() - c)
                wall.append(time.perf_counter() - w)
            print(name, sorted(cpu)[runs // 2] * 1e3, sorted(wall)[runs // 2] * 1e3, flush=True)
        try:
            from PIL import Image, ImageFilter
            large, square = [Image.open(f"{folder}/{name}.ppm").convert("RGB") for name in ("large", "square")]
            measure("pillow shrink", lambda: large.resize((400, 300), Image.LANCZOS))
            measure("pillow shrinkReduced", lambda: large.resize((400, 300), Image.LANCZOS, reducing_gap=2))
            measure("pillow halve", lambda: large.resize((2000, 1500), Image.LANCZOS))
            measure("pillow blur", lambda: square.filter(ImageFilter.GaussianBlur(8)))
        except ImportError:
            pass
        try:
            import pyvips
            pyvips.cache_set_max(0)
            large, square = [pyvips.Image.new_from_file(f"{folder}/{name}.ppm").copy_memory() for name in ("large", "square")]
            measure("vips shrink", lambda: large.reduce(10, 10, kernel="lanczos3").write_to_memory())
            measure("vips shrinkReduced", lambda: large.reduce(10, 10, kernel="lanczos3", gap=2).write_to_memory())
            measure("vips halve", lambda: large.reduce(2, 2, kernel="lanczos3").write_to_memory())
            measure("vips blur", lambda: square.gaussblur(8).write_to_memory())
        except (ImportError, OSError):
            pass
        """

    /// What a shell command writes.
    private static func lines(of command: String) -> [String] {
        guard let pipe = unsafe popen(command, "r") else { return [] }
        defer { unsafe pclose(pipe) }
        var (lines, buffer) = ([String](), [CChar](repeating: 0, count: 256))
        while unsafe fgets(&buffer, Int32(buffer.count), pipe) != nil {
            lines.append(String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return lines
    }
}
