internal import ArgumentParser
internal import CCalotypeHeap
internal import Calotype
internal import ImageCaching
internal import ImageCore
internal import ImageCodecs
internal import ImageDecoding
internal import ImageLoading
internal import ImageTargets

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads images through the caches and the network, and can write them to a directory.",
        discussion: """
            Prints a line for each source as soon as its load ends: a row of a table, or with --json one object with source, \
            tier (memory, disk, network), status (ok, failed), bytes, width, height, stages and total in milliseconds, \
            coalesced, output, index (the position on the command line, from 0) and error.

            -o writes every image to DIR; of an animation, the first frame. --format names the format; without it, opaque JPEG \
            images become JPEG files and all others PNG files. An existing file or link of the same name is replaced.

            --trace writes when each load waited and ran in each stage. Open FILE at ui.perfetto.dev.

            Examples:
              calotype load https://example.org/a.jpg https://example.org/b.webp
              calotype load *.jpg -o thumbnails --size 200x200 --mode fill --concurrency 4
              calotype load *.png -o smaller --format webp --quality 75
              calotype load *.jpg --trace loads.json
              calotype load https://example.org/a.jpg --retries 2 --deadline 10
            """)

    @Argument(help: ArgumentHelp("Paths or URLs of images.", valueName: "source"))
    var sources: [String]

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("Write the images to this directory; it is created if it does not exist.", valueName: "DIR"))
    var output: String?

    @Option(help: ArgumentHelp("With -o: the format of the files, jpg, png, webp, avif or rgba.", valueName: "FORMAT"))
    var format: String?

    @Option(
        help: ArgumentHelp(
            "With -o: the quality of a lossy format, 1 (smallest file) to 100 (best). Default: \(OutputArguments.defaultQuality).",
            valueName: "1-100"))
    var quality: Int?

    @OptionGroup var resize: ResizeOptions

    @OptionGroup var caches: CacheOptions

    @OptionGroup var limits: LimitOptions

    @Option(help: ArgumentHelp("The number of loads that run at once.", valueName: "N"))
    var concurrency = 8

    @Option(help: ArgumentHelp("How often a fetch is retried after a temporary failure.", valueName: "N"))
    var retries = 0

    @Option(
        help: ArgumentHelp(
            "The time limit for one load, including waiting and retries. Default: no limit.", valueName: "SECONDS"))
    var deadline: Double?

    @Option(help: ArgumentHelp("Write a trace of all loads to this file, in the Trace Event Format.", valueName: "FILE"))
    var trace: String?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        guard (1...1000).contains(concurrency) else { throw ValidationError("--concurrency must be from 1 to 1000.") }
        guard (0...100).contains(retries) else { throw ValidationError("--retries must be from 0 to 100.") }
        if let deadline, !(0.001...1_000_000).contains(deadline) {
            throw ValidationError("--deadline must be from 0.001 to 1000000 seconds.")
        }
        if output == "" { throw ValidationError("-o needs the path of a directory.") }
        if trace == "" { throw ValidationError("--trace needs the path of a file.") }
        if output == nil, format != nil {
            throw ValidationError("--format is the format of the files that -o writes; add -o DIR.")
        }
        if output == nil, quality != nil {
            throw ValidationError("--quality is the quality of the files that -o writes; add -o DIR.")
        }
        _ = try outputFormat()
        if let quality { try OutputArguments.validate(quality: quality) }
    }

    private func outputFormat() throws(ValidationError) -> ImageFormat? {
        guard let format else { return nil }
        return try OutputArguments.validated(ImageFormat(fileExtension: format), subject: "--format")
    }

    func run() async throws {
        clt_return_large_blocks()
        let trace = try trace.map { try LoadTrace($0) }
        let loader = ImageLoader.standard {
            $0.limits.decoding = limits.decoding
            $0.dataCache = caches.noCache ? nil : CacheOptions.diskCache(in: caches.cache)
            $0.options.retries = retries
            $0.options.deadline = deadline.map { .seconds($0) }
            // A small cache is enough for a source that is named twice.
            $0.memoryCache = MemoryCache(limits: .init(maximumBytes: 16_000_000))
            if let trace { $0.observers.append(trace.observer) }
        }
        var batch = Batch(loader: loader, concurrency: concurrency)
        if let output {
            let folder = try OutputFolder(output, format: outputFormat(), quality: quality ?? OutputArguments.defaultQuality)
            batch.deliver = { _, item, response in try await folder.write(response.image, stem: item.stem) }
        }
        // Local files are not cached, and images are resized while they are decoded.
        let readsDisk = !caches.noCache && sources.contains { $0.contains("://") }
        let stages: [LoadStage] = (readsDisk ? [.originalCache] : []) + [.network, .decode]
        let rows = LoadReport.Rows(sources: sources.lazy.map { SourceArgument.displayName(of: $0) }, stages: stages)
        if !json { Console.print(rows.heading) }
        var failures = Failures()
        let command = self
        await batch.run(sources.count, item: { command.item(for: command.sources[$0]) }) { report in
            Console.print(json ? report.json.text : rows.line(report))
            if case .failure(let failure) = report.result { failures.report(failure, source: report.source) }
        }
        // The next run finds the fetched images in the disk cache.
        try? await loader.flush()
        trace?.finish(&failures)
        try failures.throwIfAny()
    }

    private func item(for text: String) -> Batch.Item {
        do throws(ImageError) {
            let source = try SourceArgument(text)
            var request = ImageRequest(url: source.url)
            request.options.targetSize = resize.box
            request.options.contentMode = resize.mode
            if caches.noCache { request.options.cachePolicy = .noCache }
            return Batch.Item(name: source.displayName, stem: source.stem, request: .success(request))
        } catch {
            return Batch.Item(name: SourceArgument.displayName(of: text), request: .failure(error))
        }
    }
}

/// `--size` and `--mode` of `load`.
struct ResizeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Resize to this box, in pixels; one side may be left out.", valueName: "WxH"))
    var size: SizeArgument?

    @Option(
        help: ArgumentHelp("How the image fills the box: inside it, over all of it, or stretched.", valueName: "fit|fill|exact"))
    var mode: ImageContentMode = .fit

    /// The box for a load. A missing side becomes one that no image exceeds.
    var box: PixelSize? { size.map { PixelSize(width: $0.width ?? 1_000_000, height: $0.height ?? 1_000_000) } }
}

/// A directory that images are written to, under unique names.
final class OutputFolder: Sendable {
    private let path: String
    private let format: ImageFormat?
    private let quality: Int
    private let used = Lock<(names: Set<String>, numbers: [String: Int])>(([], [:]))

    /// Creates the directory if it does not exist.
    ///
    /// - Parameter format: `nil` writes opaque JPEG images as JPEG and all others as PNG.
    init(_ path: String, format: ImageFormat?, quality: Int) throws {
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
        (self.format, self.quality) = (format, quality)
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            Console.printError("The directory cannot be created; check the path and its permissions.", source: path)
            throw ExitStatus.failed
        }
    }

    /// Writes an image and returns the path of its file.
    func write(_ image: DecodedImage, stem: String) async throws -> String {
        let isPhoto = image.format == .jpeg && image.bitmap.alpha == .opaque
        let format = format ?? (isPhoto ? .jpeg : .png)
        var options = EncodeOptions()
        options.quality = quality
        let file = path + "/" + unusedName(stem, format.fileExtension)
        try await StreamTarget.runOnDispatchQueue { [options] in
            let data = try EncoderRegistry(.codecs).encode(image, as: format, options: options)
            try AtomicFile.write(data, to: file, followsLinks: false)
        }
        return file
    }

    /// `photo.jpg`, then `photo-2.jpg`: two sources of one run never share a file.
    private func unusedName(_ stem: String, _ fileExtension: String) -> String {
        used.withLock { used in
            let plain = "\(stem).\(fileExtension)"
            var name = plain
            // Starts at the last number of this name, so that the search stays short.
            var number = used.numbers[plain] ?? 1
            while !used.names.insert(name).inserted {
                number += 1
                name = "\(stem)-\(number).\(fileExtension)"
            }
            if number > 1 { used.numbers[plain] = number }
            return name
        }
    }
}
