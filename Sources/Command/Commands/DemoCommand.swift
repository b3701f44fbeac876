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
        abstract: "Loads a gallery from a local server, and draws it as a contact sheet.",
        discussion: """
            Serves JPEG, PNG, WebP and AVIF images over HTTP on this machine, loads them from the network, from memory and from \
            disk, and writes a contact sheet as a PNG file. On a terminal, or with --as, the sheet is also drawn as \
            'calotype show' draws it.
            """)

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("The file to write the contact sheet to, as PNG.", valueName: "FILE"))
    var output = "contact-sheet.png"

    @Option(name: .customLong("as"), help: ShowCommand.MethodArgument.help)
    var method: ShowCommand.MethodArgument?

    func run() async throws {
        do {
            let server = try Gallery.serve()
            defer { server.stop() }
            let cache = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
            guard ExitCleanup.add(file: cache.path) else { throw CancellationError() }
            defer {
                try? FileManager.default.removeItem(at: cache)
                ExitCleanup.remove(file: cache.path)
            }
            try await run(names: Gallery.files.map(\.name), from: server, cacheDirectory: cache)
        } catch let status as ExitStatus {
            throw status
        } catch {
            Console.printError("The demo failed: \(Failures.message(for: error))")
            throw ExitStatus.failed
        }
    }

    private func run(names: [String], from server: LoopbackServer, cacheDirectory: URL) async throws {
        let sheet = ContactSheet()
        let items = try names.map { name in
            var request = ImageRequest(url: try SourceArgument(server.url("/" + name)).url)
            request.options.targetSize = sheet.cell
            return Batch.Item(name: name, request: .success(request))
        }
        Console.print("\(names.count) images on \(server.url())\n")

        func makeLoader() -> ImageLoader { .standard { $0.dataCache = DiskCache(.init(directory: cacheDirectory)) } }
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
        // A second loader has an empty memory cache, like one after a restart.
        let afterRestart = await load(with: makeLoader())

        var failures = Failures()
        for report in cold + warm + afterRestart {
            if case .failure(let failure) = report.result { failures.report(failure, source: report.source) }
        }
        let bitmap = try sheet.draw(names.indices.compactMap { index in bitmaps.withLock { $0[index] } })
        var terminal = TerminalProbe.terminal()
        if let method { terminal.graphics = method.graphics }
        let terminalImage = TerminalImage(
            terminal, columns: min(terminal.columns, 120), rows: max(10, terminal.rows - 2), encoder: EncoderRegistry(.codecs))
        if let drawing = try terminalImage.draw(DecodedImage(bitmap)) { Console.print(drawing.placed()) }
        let rows = LoadReport.Rows(sources: names, stages: [.originalCache, .network, .decode])
        for (heading, reports) in [("Cold", cold), ("Again", warm), ("After a restart", afterRestart)] {
            let lines = ["\(heading):", rows.heading] + reports.map(rows.line)
            Console.print(lines.joined(separator: "\n") + "\n")
        }
        let png = try EncoderRegistry(.codecs).encode(DecodedImage(bitmap), as: .png, options: EncodeOptions())
        do throws(ImageError) {
            try AtomicFile.write(png, to: output)
            Console.print("The contact sheet is in \(output).")
        } catch {
            failures.report(error, source: output)
        }
        try failures.throwIfAny()
    }
}
