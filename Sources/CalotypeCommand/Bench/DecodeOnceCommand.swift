internal import ArgumentParser
internal import ImageCore
internal import ImageDecoding

/// Decodes a file and drops the picture: what the benchmark runs as a process of its own.
struct DecodeOnceCommand: ParsableCommand {
    static let name = "decode-once"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Decodes a file, for the benchmark.", shouldDisplay: false)

    @Argument(help: "A path.")
    var path: String

    func run() throws { try Self.decode(path) }

    /// The file is mapped, as ``SourceReader`` does it.
    static func decode(_ path: String) throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        } catch {
            throw ImageError(.fileUnreadable, message: "There is no file \(path) that can be read.")
        }
        _ = try DecoderRegistry().decode(data, options: DecodeOptions())
    }
}
