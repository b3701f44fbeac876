internal import ArgumentParser
internal import ImageCore
internal import ImageDecoding
internal import ImageNetworking

/// Decodes a file and drops the picture: what the benchmark runs as a process of its own.
struct DecodeOnceCommand: ParsableCommand {
    static let name = "decode-once"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Decodes a file, for the benchmark.", shouldDisplay: false)

    @Argument(help: "A path.")
    var path: String

    func run() throws { try Self.decode(path) }

    static func decode(_ path: String) throws {
        _ = try DecoderRegistry().decode(FileLoader(maximumBytes: .max).contents(ofFile: path), options: DecodeOptions())
    }
}
