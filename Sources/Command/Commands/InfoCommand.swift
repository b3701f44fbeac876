internal import ArgumentParser
internal import ImageCodecs
internal import ImageCore
internal import ImageDecoding
internal import ImageTargets

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints the format, the size and other properties of images, from their headers.",
        discussion: """
            Width and height are those of the stored image, before its orientation is applied. A truncated file is an error. --json \
            prints one object a line, with the members source, format, width, height, frames, orientation (1-8), hasAlpha, bitDepth, \
            colorModel, colorProfile (or null), isProgressive, byteCount.

            Examples:
              calotype info photo.jpg
              calotype info *.avif https://example.org/logo.png --json
            """)

    @Argument(help: ArgumentHelp("Paths or URLs of images.", valueName: "source"))
    var sources: [String]

    @OptionGroup var limits: LimitOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let reader = SourceReader()
        let decoder = DecoderRegistry(.codecs)
        var failures = Failures()
        for text in sources {
            let name = SourceArgument.displayName(of: text)
            do {
                let data = try await reader.bytes(of: SourceArgument(text))
                let info = try decoder.info(of: data, limits: limits.decoding)
                try check(data, info, decoder)
                let facts = info.facts(byteCount: data.count)
                Console.print(json ? JSON.object([("source", .string(name))] + facts).text : lines(source: name, facts))
            } catch {
                failures.report(error, source: name)
            }
        }
        try failures.throwIfAny()
    }

    /// Only an image whose structure has no end is decoded, because its pixels may be there all the same.
    private func check(_ data: Data, _ info: ImageInfo, _ decoder: DecoderRegistry) throws {
        do {
            try FileCompleteness.check(data, format: info.format)
        } catch {
            var options = DecodeOptions()
            // Scaling while decoding holds some rows only.
            (options.limits, options.targetSize) = (limits.decoding, PixelSize(width: 16, height: 16))
            guard info.frameCount == 1, (try? decoder.decode(data, options: options)) != nil else { throw error }
        }
    }

    /// The source, then a line for each fact.
    private func lines(source: String, _ facts: [(name: String, value: JSON)]) -> String {
        let lines = facts.map { name, value in
            let text = if case .string(let text) = value { text ?? "none" } else { value.text }
            return "  \(name):" + String(repeating: " ", count: 14 - name.count) + Terminal.sanitized(text)
        }
        return ([Terminal.sanitized(source)] + lines).joined(separator: "\n")
    }
}

extension ImageInfo {
    /// The members of the JSON object, in order.
    fileprivate func facts(byteCount: Int) -> [(name: String, value: JSON)] {
        [
            ("format", .string(format.rawValue)), ("width", .integer(size.width)), ("height", .integer(size.height)),
            ("frames", .integer(frameCount)), ("loopCount", .integer(loopCount)),
            ("orientation", .integer(orientation.rawValue)), ("hasAlpha", .boolean(hasAlpha)),
            ("bitDepth", .integer(bitDepth)), ("colorModel", .string(colorModel.rawValue)),
            ("colorProfile", .string(colorProfile)), ("isProgressive", .boolean(isProgressive)),
            ("byteCount", .integer(byteCount)),
        ]
    }
}
