internal import ArgumentParser
internal import ImageCore
internal import ImageDecoding

/// Decodes a file and drops the picture: what the benchmark runs as a process of its own.
struct DecodeOnceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode-once", abstract: "Decodes a file, for the benchmark.", shouldDisplay: false)

    @Argument(help: "A path.")
    var path: String

    func run() throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ImageError(.fileUnreadable, message: "There is no file \(path) that can be read.")
        }
        _ = try DecoderRegistry().decode(data, options: DecodeOptions())
    }
}
