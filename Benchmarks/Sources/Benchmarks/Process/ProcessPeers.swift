internal import Calotype
internal import Foundation

/// The figures of Pillow and libvips for the same work on the same image, measured in this run if they are installed.
struct ProcessPeers {
    enum Work: String, CaseIterable {
        /// Lanczos, 4000×3000 to 400×300.
        case shrink
        /// Lanczos, 4000×3000 to 2000×1500.
        case halve
        /// Gaussian, σ 8, 1000×1000.
        case blur
    }

    struct Figure {
        let library: String
        let work: String
        let threads: Int
        /// Milliseconds of each run.
        let cpu: [Double]
        let wall: [Double]
    }

    private let measured: [Figure]

    /// - Parameters:
    ///   - large: An image of 4000×3000 pixels.
    ///   - square: An image of 1000×1000 pixels.
    init(large: Bitmap, square: Bitmap, runs: Int) throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        try large.writePPM(to: folder.file("large.ppm"))
        try square.writePPM(to: folder.file("square.ppm"))
        let script = Programs.project.appending(path: "Benchmarks/process-peers.py").path
        var measured: [Figure] = []
        // The libvips of pip and that of the system may be different versions.
        for (threads, which) in [(1, "pip"), (1, "system"), (2, "pip"), (2, "system")] {
            let output = folder.file("output")
            _ = try? ChildProcess(
                ["env", "VIPS_CONCURRENCY=\(threads)", Programs.python, script, folder.path, "\(runs)", which], output: output
            ).wait()
            for line in try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n") {
                let fields = line.split(separator: " ").map(String.init)
                guard fields.count == 4, case let (cpu, wall) = (Self.numbers(fields[2]), Self.numbers(fields[3])),
                    !measured.contains(where: { ($0.library, $0.work, $0.threads) == (fields[0], fields[1], threads) })
                else { continue }
                measured.append(Figure(library: fields[0], work: fields[1], threads: threads, cpu: cpu, wall: wall))
            }
        }
        self.measured = measured
    }

    /// Returns the processor time of each library on one thread, with an empty value for a missing library.
    func cpu(_ work: Work) -> [Row.Peer] {
        let here = figures(work, threads: 1).map { Row.Peer(name: $0.library, samples: $0.cpu) }
        let missing = ["Pillow", "libvips"].filter { name in !here.contains { $0.name.hasPrefix(name) } }
        return here + missing.map { Row.Peer(name: $0, value: nil) }
    }

    /// Returns the elapsed time with two threads, of the libraries that use threads.
    func wallOnTwo(_ work: Work) -> [Row.Peer] {
        figures(work, threads: 2).filter { $0.library.hasPrefix("libvips") }.map { Row.Peer(name: $0.library, samples: $0.wall) }
    }

    private static func numbers(_ text: String) -> [Double] { text.split(separator: ",").compactMap { Double($0) } }

    private func figures(_ work: Work, threads: Int) -> [Figure] {
        measured.filter { $0.work == work.rawValue && $0.threads == threads }
    }
}
