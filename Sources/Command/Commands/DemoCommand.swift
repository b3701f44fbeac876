internal import ArgumentParser
internal import Calotype
internal import ImageCore
internal import ImageCodecs
internal import ImageDecoding
internal import ImageLoading
internal import ImageTargets
internal import LoopbackHTTP

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows the whole way, from HTTP to pixels.",
        discussion: """
            Serves a gallery of JPEG, PNG, WebP and AVIF images on this machine, loads it cold, from memory and from disk, \
            and writes a contact sheet as a PNG. The sheet is also drawn in the terminal, as calotype show would; where there \
            is no terminal, only if --as names a way.
            """)

    @Option(name: [.short, .customLong("output")], help: ArgumentHelp("The contact sheet.", valueName: "FILE"))
    var output = "contact-sheet.png"

    @Option(name: .customLong("as"), help: ShowCommand.WayArgument.help)
    var way: ShowCommand.WayArgument?

    func run() async throws {
        do {
            let server = try Gallery.serve()
            defer { server.stop() }
            let cache = try TemporaryFolder()
            try await show(Gallery.pictures.map(\.name), from: server, cache: cache)
        } catch let status as ExitStatus {
            throw status
        } catch {
            Console.complain("The demo failed: \(Failures.sentence(error))")
            throw ExitStatus.failed
        }
    }

    private func show(_ names: [String], from server: LoopbackServer, cache: TemporaryFolder) async throws {
        let sheet = ContactSheet()
        let items = names.map { name in
            Batch.Item(
                name: name,
                request: Result { () throws(ImageError) in
                    var request = ImageRequest(url: try SourceArgument(server.url("/" + name)).url)
                    request.options.targetSize = sheet.cell
                    return request
                })
        }
        Console.print("\(names.count) images on \(server.url())\n")

        func makeLoader() -> ImageLoader { .standard { $0.dataCache = DiskCache(.init(directory: cache.url)) } }
        let loader = makeLoader()
        let bitmaps = Lock<[Int: Bitmap]>([:])
        func load(with loader: ImageLoader) async -> [LoadReport] {
            var batch = Batch(loader: loader)
            batch.deliver = { index, _, response in
                bitmaps.withLock { $0[index] = response.image.bitmap }
                return nil
            }
            var reports: [LoadReport] = []
            await batch.run(items.count, item: { items[$0] }, report: { reports.append($0) })
            return reports.sorted { $0.index < $1.index }
        }
        let cold = await load(with: loader)
        try await loader.flush()
        let warm = await load(with: loader)
        // A second loader has an empty memory cache, as after a restart.
        let afterRestart = await load(with: makeLoader())

        var failures = Failures()
        for report in cold + warm + afterRestart {
            if case .failure(let failure) = report.result { failures.add(report.source, failure) }
        }
        let bitmap = try sheet.draw(names.indices.compactMap { index in bitmaps.withLock { $0[index] } })
        var terminal = TerminalProbe.terminal()
        if let way { terminal.graphics = way.graphics }
        let place = TerminalImage(
            terminal, columns: min(terminal.columns, 120), rows: max(10, terminal.rows - 2), encoder: EncoderRegistry(.codecs))
        if let drawing = try place.draw(DecodedImage(bitmap)) { Console.print(drawing.placed()) }
        for (heading, reports) in [("Cold", cold), ("Again", warm), ("After a restart", afterRestart)] {
            Console.print("\(heading):\n" + LoadReport.table(reports) + "\n")
        }
        let png = try EncoderRegistry(.codecs).encode(DecodedImage(bitmap), as: .png, options: EncodeOptions())
        do throws(ImageError) {
            try AtomicFile.write(png, to: output)
            Console.print("The contact sheet is in \(output).")
        } catch {
            failures.add(output, error)
        }
        try failures.throwIfAny()
    }
}

/// A new directory that goes with its owner, or with the process.
final class TemporaryFolder: Sendable {
    let path: String

    var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)").path
        guard Leftovers.add(file: path) else { throw CancellationError() }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        Leftovers.forget(file: path)
        try? FileManager.default.removeItem(atPath: path)
    }
}
