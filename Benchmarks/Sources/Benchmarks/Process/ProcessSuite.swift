internal import Calotype
internal import Foundation
internal import ImageKernels
internal import ProcessorParsing

extension Suite {
    /// Measures the kernels on a computed photograph in memory beside Pillow and libvips, and each processor beside a
    /// copy of the image.
    static let process = Suite(name: "process", summary: "resampling, blur and every processor") { effort, seed in
        let bench = try ProcessBench(effort: effort, seed: seed)
        var rows = try await bench.kernels()
        for list in ProcessBench.lists { rows.append(try await bench.processor(list)) }
        for list in ["resize(400x300)", "blur(2)", "blur(20)", "sharpen", "rotate(10)", "rotate(90)", "sepia", "gamma(2.2)"] {
            rows.append(try await bench.twoThreads(list))
        }
        return rows
    }
}

private struct ProcessBench {
    static let lists = [
        "resize(500x500)", "resize(500x500,fill,bilinear)", "crop(100,100,500,500)", "crop-to(1:2,attention)", "trim",
        "pad(1100x1100,white)", "rotate(90)", "rotate(45)", "flip", "grayscale", "sepia", "tint(#40c0ff)", "brightness(0.1)",
        "contrast(1.5)", "saturation(2)", "gamma(2.2)", "invert", "background(white)", "round(40)", "circle", "border(10)",
        "blur(2)", "blur(20)", "sharpen", "pixelate(12)",
    ]

    let effort: Effort
    private let large: Bitmap
    private let square: Bitmap
    private let peers: ProcessPeers

    init(effort: Effort, seed: UInt64) throws {
        self.effort = effort
        let scale = effort == .smoke ? 5 : 1
        large = try Scene(size: PixelSize(width: 4000 / scale, height: 3000 / scale), seed: seed).bitmap()
        square = try Scene(size: PixelSize(width: 1000, height: 1000), seed: seed).bitmap()
        peers = try ProcessPeers(large: large, square: square, runs: effort == .smoke ? 1 : 7)
    }

    /// Measures the work that Pillow and libvips do, too.
    func kernels() async throws -> [Row] {
        let shrink = ResizeGeometry(
            source: large.size, box: PixelSize(width: large.width / 10, height: large.height / 10), mode: .exact)
        let halve = ResizeGeometry(
            source: large.size, box: PixelSize(width: large.width / 2, height: large.height / 2), mode: .exact)
        var rows: [Row] = []
        // libvips 8.18 has kernels for vector instructions, and 8.14 has not.
        func measure(
            _ name: String, _ work: ProcessPeers.Work, budget: Double? = nil, _ body: (_ threads: Int) throws -> Void
        ) async throws {
            let cpu = try await effort.samples { try ProcessorTime.milliseconds { try body(1) } }
            for peer in peers.cpu(work) {
                let hasVectors = peer.name.hasPrefix("libvips") && Int(peer.name.split(separator: ".").last ?? "") ?? 0 >= 18
                rows.append(row("\(name), CPU", cpu, peer, budget: budget.map { .ratio(hasVectors ? 1 : $0) }))
            }
            let one = try await effort.samples { try Self.wall { try body(1) } }
            let two = try await effort.samples { try Self.wall { try body(2) } }
            for peer in [Row.Peer(name: "one thread", samples: one)] + peers.wallOnTwo(work) {
                rows.append(row("\(name), two threads", two, peer))
            }
        }
        try await measure("Lanczos3 \(large.size) to \(shrink.output)", .shrink, budget: 0.25) {
            _ = try Resampler.resize(large, to: shrink, threads: $0)
        }
        try await measure("Lanczos3 \(large.size) to \(halve.output)", .halve, budget: 0.25) {
            _ = try Resampler.resize(large, to: halve, threads: $0)
        }
        try await measure("Gaussian blur, sigma 8, 1000x1000", .blur, budget: 0.4) {
            _ = try square.blurred(sigma: 8, threads: $0)
        }
        return rows
    }

    /// Measures a processor on a megapixel, beside a copy of the image.
    func processor(_ list: String) async throws -> Row {
        let processors = try ProcessorList.parse(list)
        // An opaque image needs no background.
        let isForAlpha = list.hasPrefix("background")
        let image = DecodedImage(isForAlpha ? try square.rounded(CornerRadii(200)) : square)
        let copy = try await effort.samples { try ProcessorTime.milliseconds { _ = try copied(square) } }
        let samples = try await effort.samples {
            try ProcessorTime.milliseconds {
                for processor in processors { _ = try processor.process(image, context: ProcessingContext()) }
            }
        }
        return row("\(list), CPU a megapixel", samples, Row.Peer(name: "a copy", samples: copy))
    }

    /// Measures a processor with two threads on the large image, beside one thread.
    func twoThreads(_ list: String) async throws -> Row {
        let processors = try ProcessorList.parse(list)
        let image = DecodedImage(large)
        func elapsed(_ threads: Int) async throws -> [Double] {
            var context = ProcessingContext()
            context.threads = threads
            return try await effort.samples {
                try Self.wall { for processor in processors { _ = try processor.process(image, context: context) } }
            }
        }
        let peer = Row.Peer(name: "one thread", samples: try await elapsed(1))
        return row("\(list) on \(large.size), two threads", try await elapsed(2), peer)
    }

    private func copied(_ bitmap: Bitmap) throws -> Bitmap {
        try unsafe Bitmap(size: bitmap.size, format: bitmap.format, alpha: bitmap.alpha) { pixels, _ in
            unsafe bitmap.withUnsafePixels { unsafe pixels.copyMemory(from: $0) }
        }
    }

    private func row(_ name: String, _ samples: [Double], _ peer: Row.Peer?, budget: Row.Budget? = nil) -> Row {
        Row(suite: "process", name: name, samples: samples, unit: "ms", peer: peer, budget: budget)
    }

    /// Elapsed milliseconds.
    private static func wall(_ body: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure { try body() } / .milliseconds(1)
    }
}
