internal import ArgumentParser
internal import Calotype
internal import ImageCore
internal import ImageLoading
internal import ImageTargets

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Draws pictures in the terminal.",
        discussion: """
            Two pixels a character, as half blocks in 24-bit colour. Without --size the picture fits the terminal, or \
            80x24 characters where there is none.

            Examples:
              calotype show photo.jpg
              calotype show https://example.org/a.avif b.png --size 60x20
            """)

    @Argument(help: ArgumentHelp("Paths or URLs.", valueName: "source"))
    var sources: [String]

    @Option(help: ArgumentHelp("The box to draw in, in characters.", valueName: "COLUMNSxROWS"))
    var size: GridArgument?

    func run() async throws {
        let terminal = Console.size ?? (columns: 80, rows: 25)
        let blocks = HalfBlocks(columns: size?.columns ?? terminal.columns, rows: size?.rows ?? max(1, terminal.rows - 1))
        let loader = ImageLoader.standard {
            $0.dataCache = nil
            // Who waits at a terminal would rather know at once.
            $0.retryPolicy = nil
        }
        var failures = Failures()
        for text in sources {
            var name = text
            do {
                let source = try SourceArgument(text)
                name = source.name
                var request = ImageRequest(url: source.url)
                request.options.targetSize = blocks.targetSize
                Console.print(blocks.draw(try await loader.image(for: request).bitmap))
            } catch {
                failures.add(name, error)
            }
        }
        try failures.throwIfAny()
    }
}
