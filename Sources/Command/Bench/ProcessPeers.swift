internal import ImageCore
internal import CalotypeSystem

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

    /// Processor time, in milliseconds: Pillow 10 and libvips 8.14.
    private static let recorded: [Work: [String: Double]] = [
        .shrink: ["Pillow": 91, "libvips": 100], .shrinkReduced: ["Pillow": 13, "libvips": 40],
        .halve: ["Pillow": 135, "libvips": 130], .blur: ["Pillow": 27, "libvips": 27],
    ]

    private struct Figure {
        let library: String
        let work: String
        let threads: Int
        /// Milliseconds.
        let cpu: Double
        let wall: Double
    }

    private let measured: [Figure]

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
        let python = FileManager.default.isExecutableFile(atPath: Self.ownPython) ? Self.ownPython : "python3"
        var measured: [Figure] = []
        // The libvips that pip brings, and the system's, which may be another one.
        for (threads, which) in [(1, "pip"), (1, "system"), (2, "pip"), (2, "system")] {
            let command = "VIPS_CONCURRENCY=\(threads) \(python) \(folder)/peers.py \(folder) \(runs) \(which) 2>/dev/null"
            for line in Self.lines(of: command) {
                let fields = line.split(separator: " ").map(String.init)
                guard fields.count == 4, let cpu = Double(fields[2]), let wall = Double(fields[3]),
                    !measured.contains(where: { ($0.library, $0.work, $0.threads) == (fields[0], fields[1], threads) })
                else { continue }
                measured.append(Figure(library: fields[0], work: fields[1], threads: threads, cpu: cpu, wall: wall))
            }
        }
        self.measured = measured
    }

    /// Each library's processor time for work on one thread.
    func cpu(_ work: Work, reach: Double) -> [BenchmarkRow.Peer] {
        let here = measured.filter { $0.work == work.rawValue && $0.threads == 1 }
            .map { BenchmarkRow.Peer(name: $0.library, value: $0.cpu, ranHere: true, reach: reach) }
        let missing = Self.recorded[work, default: [:]].filter { name, _ in !here.contains { $0.name.hasPrefix(name) } }
        return here
            + missing.sorted { $0.key < $1.key }
            .map { BenchmarkRow.Peer(name: $0.key, value: $0.value, ranHere: false, reach: reach) }
    }

    /// The elapsed time with two threads of each library that has threads.
    func wallOnTwo(_ work: Work, reach: Double) -> [BenchmarkRow.Peer] {
        measured.filter { $0.work == work.rawValue && $0.threads == 2 && $0.library.hasPrefix("libvips") }
            .map { BenchmarkRow.Peer(name: $0.library, value: $0.wall, ranHere: true, reach: reach) }
    }

    /// Where `Scripts/bench-peers` puts a Python of its own.
    private static let ownPython = ".build/bench-peers/bin/python3"

    /// Prints for each library and work the medians of processor and elapsed time.
    private static let script = """
        import sys, time
        folder, runs, which = sys.argv[1], int(sys.argv[2]), sys.argv[3]
        def measure(name, body):
            body()
            cpu, wall = [], []
            for _ in range(runs):
                c, w = time.process_time(), time.perf_counter()
                body()
                cpu.append(time.process_time() - c)
                wall.append(time.perf_counter() - w)
            print(name, sorted(cpu)[runs // 2] * 1e3, sorted(wall)[runs // 2] * 1e3, flush=True)
        def pixels(name, width, height):
            with open(f"{folder}/{name}.ppm", "rb") as file:
                return file.read()[-3 * width * height:]
        try:
            from PIL import Image, ImageFilter
            large = Image.frombytes("RGB", (4000, 3000), pixels("large", 4000, 3000))
            square = Image.frombytes("RGB", (1000, 1000), pixels("square", 1000, 1000))
            if which == "pip":
                measure("Pillow shrink", lambda: large.resize((400, 300), Image.LANCZOS))
                measure("Pillow shrinkReduced", lambda: large.resize((400, 300), Image.LANCZOS, reducing_gap=2))
                measure("Pillow halve", lambda: large.resize((2000, 1500), Image.LANCZOS))
                measure("Pillow blur", lambda: square.filter(ImageFilter.GaussianBlur(8)))
        except ImportError:
            pass
        try:
            if which == "system":
                sys.modules["_libvips"] = None
            import pyvips
            pyvips.cache_set_max(0)
            large = pyvips.Image.new_from_memory(pixels("large", 4000, 3000), 4000, 3000, 3, "uchar")
            square = pyvips.Image.new_from_memory(pixels("square", 1000, 1000), 1000, 1000, 3, "uchar")
            vips = f"libvips-{pyvips.version(0)}.{pyvips.version(1)}"
            measure(f"{vips} shrink", lambda: large.reduce(10, 10, kernel="lanczos3").write_to_memory())
            measure(f"{vips} shrinkReduced", lambda: large.resize(0.1, kernel="lanczos3", gap=2).write_to_memory())
            measure(f"{vips} halve", lambda: large.reduce(2, 2, kernel="lanczos3").write_to_memory())
            # Out to three sigma, as far as it is taken here; left to itself it stops at a fifth of the weight in the middle.
            measure(f"{vips} blur", lambda: square.gaussblur(8, min_ampl=0.0112).write_to_memory())
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
