internal import ImageCore
internal import ImageCodecs
internal import ImageDecoding

/// `DecodeOnce PATH` decodes a file to a bitmap and discards it. It is a small program, because its start is measured,
/// too.
@main
enum Main {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            throw ImageError(.invalidRequest, message: "The argument is a path.")
        }
        let data = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
        _ = try DecoderRegistry(.codecs).decode(data, options: DecodeOptions())
    }
}
