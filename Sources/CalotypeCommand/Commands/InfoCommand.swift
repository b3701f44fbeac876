internal import ArgumentParser
internal import ImageCore

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "info", abstract: "Tells what pictures are, from their headers.")
    @Argument(help: "Paths or URLs.") var sources: [String]
    func run() async throws {}
}
