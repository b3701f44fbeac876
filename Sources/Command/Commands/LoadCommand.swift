internal import ArgumentParser
internal import CCalotypeHeap
internal import Calotype
internal import ImageCaching
internal import ImageCore
internal import ImageCodecs
internal import ImageDecoding
internal import ImageLoading

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads images through the whole pipeline.",
        discussion: """
            Prints a line for each source as soon as its load ends: a row of a table, or with --json one object of source, \
            tier (memory, disk, network), status (ok, failed), bytes, width, height, stages and total in milliseconds, \
            coalesced, output, index (the place on the command line, from 0) and error.

            With -o every image is written, of an animation its first frame: in the format that --format names, or else \
            opaque JPEG as JPEG and everything else as PNG. A file or a link of that name in DIR is replaced.

            With --trace, FILE tells when each load waited and worked in which stage: open it with ui.perfetto.dev.

            Examples:
              calotype load https://example.org/a.jpg https://example.org/b.webp
              calotype load *.jpg -o thumbnails --size 200x200 --mode fill --concurrency 4
              calotype load *.png -o smaller --format webp --quality 75
              calotype load *.jpg --trace loads.json
              calotype load https://example.org/a.jpg --retries 2 --deadline 10
            """)

    @Argument(help: ArgumentHelp("Paths or URLs.", valueName: "source"))
    var sources: [String]

    @Option(name: [.short, .customLong("output")], help: ArgumentHelp("Write the images here.", valueName: "DIR"))
    var output: String?

    @Option(help: ArgumentHelp("With -o: the format to write, jpg, png, webp, avif or rgba.", valueName: "FORMAT"))
    var format: String?

    @Option(
        help: ArgumentHelp(
            "With -o, for lossy formats: 1 (smallest) to 100 (best); \(Conversion.defaultQuality).", valueName: "1-100"))
    var quality: Int?

    @OptionGroup var resize: ResizeOptions

    @OptionGroup var caches: CacheOptions

    @OptionGroup var limits: LimitOptions

    @Option(help: ArgumentHelp("Loads at a time.", valueName: "N"))
    var concurrency = 8

    @Option(help: ArgumentHelp("Further tries of a fetch that fails for the moment.", valueName: "N"))
    var retries = 0

    @Option(
        help: ArgumentHelp(
            "The most time for one load, with its waits and further tries; no limit by default.", valueName: "SECONDS"))
    var deadline: Double?

    @Option(help: ArgumentHelp("Write the stages of all loads, in the Trace Event Format.", valueName: "FILE"))
    var trace: String?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        guard (1...1000).contains(concurrency) else { throw ValidationError("--concurrency must be from 1 to 1000.") }
        guard (0...100).contains(retries) else { throw ValidationError("--retries must be from 0 to 100.") }
        if let deadline, !(0.001...1_000_000).contains(deadline) {
            throw ValidationError("--deadline must be from 0.001 to 1000000 seconds.")
        }
        if output == "" { throw ValidationError("-o needs the name of a directory.") }
        if trace == "" { throw ValidationError("--trace needs the name of a file.") }
        if output == nil, format != nil {
            throw ValidationError("--format needs -o: it is the format of the files written there.")
        }
        if output == nil, quality != nil { throw ValidationError("--quality needs -o: it is that of the files written there.") }
        _ = try outputFormat()
        if let quality { try Conversion.check(quality: quality) }
    }

    private func outputFormat() throws(ValidationError) -> ImageFormat? {
        guard let format else { return nil }
        return try Conversion.check(format: ImageFormat(fileExtension: format), of: "--format")
    }

    func run() async throws {
        calotype_heap_return_large_blocks()
        let trace = try trace.map { try LoadTrace($0) }
        let loader = ImageLoader.standard {
            $0.limits.decoding = limits.decoding
            $0.dataCache = caches.noCache ? nil : CacheOptions.diskCache(in: caches.cache)
            $0.options.retries = retries
            $0.options.deadline = deadline.map { .seconds($0) }
            // For sources that are named twice; what is larger would only wait for the end.
            $0.memoryCache = MemoryCache(limits: .init(cost: 16_000_000))
            if let trace { $0.observers.append(trace.observer) }
        }
        var batch = Batch(loader: loader, concurrency: concurrency)
        if let output {
            let folder = try OutputFolder(output, format: outputFormat(), quality: quality ?? Conversion.defaultQuality)
            batch.deliver = { _, item, response in try await folder.write(response.image, stem: item.stem) }
        }
        // Local files are never stored, and sizes are reached while decoding.
        let readsDisk = !caches.noCache && sources.contains { $0.contains("://") }
        let stages: [LoadStage] = (readsDisk ? [.originalCache] : []) + [.network, .decode]
        let rows = LoadReport.Rows(sources: sources.lazy.map { SourceArgument.name(of: $0) }, stages: stages)
        if !json { Console.print(rows.heading) }
        var failures = Failures()
        let command = self
        await batch.run(sources.count, item: { command.item(for: command.sources[$0]) }) { report in
            Console.print(json ? report.json.text : rows.line(report))
            if case .failure(let failure) = report.result { failures.add(report.source, failure) }
        }
        // What was fetched is there for the next run.
        try? await loader.flush()
        trace?.finish(&failures)
        try failures.throwIfAny()
    }

    private func item(for text: String) -> Batch.Item {
        do throws(ImageError) {
            let source = try SourceArgument(text)
            return Batch.Item(name: source.name, stem: source.stem, request: .success(request(for: source)))
        } catch {
            return Batch.Item(name: SourceArgument.name(of: text), request: .failure(error))
        }
    }

    private func request(for source: SourceArgument) -> ImageRequest {
        var request = ImageRequest(url: source.url)
        request.options.targetSize = resize.box
        request.options.contentMode = resize.mode
        if caches.noCache { request.options.cachePolicy = .noCache }
        return request
    }
}

extension ResizeOptions {
    /// The box as loads take it: a side that was left out is one that every image fits into.
    var box: PixelSize? { size.map { PixelSize(width: $0.width ?? 1_000_000, height: $0.height ?? 1_000_000) } }
}

/// A directory that images are written into, under names that do not collide.
final class OutputFolder: Sendable {
    private let path: String
    private let format: ImageFormat?
    private let quality: Int
    private let taken = Lock<(names: Set<String>, numbers: [String: Int])>(([], [:]))

    /// Makes the directory when it is missing.
    ///
    /// - Parameter format: `nil` writes opaque JPEG as JPEG, everything else as PNG.
    init(_ path: String, format: ImageFormat?, quality: Int) throws {
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
        (self.format, self.quality) = (format, quality)
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            Console.complain(about: path, "The directory cannot be made; check the path and its permissions.")
            throw ExitStatus.failed
        }
    }

    /// Writes an image and returns its path.
    func write(_ image: DecodedImage, stem: String) async throws -> String {
        let isPhoto = image.format == .jpeg && image.bitmap.alpha == .opaque
        let format = format ?? (isPhoto ? .jpeg : .png)
        var options = EncodeOptions()
        options.quality = quality
        let file = path + "/" + unusedName(stem, format.fileExtension)
        try await BlockingWork.run { [options] in
            let data = try EncoderRegistry(.codecs).encode(image, as: format, options: options)
            try AtomicFile.write(data, to: file, followsLinks: false)
        }
        return file
    }

    /// `photo.jpg`, then `photo-2.jpg`: two sources of one run never share a file.
    private func unusedName(_ stem: String, _ fileExtension: String) -> String {
        taken.withLock { taken in
            let plain = "\(stem).\(fileExtension)"
            var name = plain
            // Starts after the last number that this name got, so that many equal names stay cheap.
            var number = taken.numbers[plain] ?? 1
            while !taken.names.insert(name).inserted {
                number += 1
                name = "\(stem)-\(number).\(fileExtension)"
            }
            if number > 1 { taken.numbers[plain] = number }
            return name
        }
    }
}
