internal import ArgumentParser
internal import ImageCore
internal import ImageCodecs
internal import ImageDecoding
internal import ImageTargets

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints what images are, from their headers.",
        discussion: """
            Width and height are as stored, before orientation. A file that was cut off is an error. With --json one object a line, \
            with the members source, format, width, height, frames, orientation (1-8), hasAlpha, bitDepth, colorModel, \
            colorProfile (or null), isProgressive, byteCount.

            Examples:
              calotype info photo.jpg
              calotype info *.avif https://example.org/logo.png --json
            """)

    @Argument(help: ArgumentHelp("Paths or URLs.", valueName: "source"))
    var sources: [String]

    @OptionGroup var limits: LimitOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let reader = SourceReader()
        let decoder = DecoderRegistry(.codecs)
        var failures = Failures()
        for text in sources {
            var name = SourceArgument.name(of: text)
            do {
                let source = try SourceArgument(text)
                name = source.name
                let data = try await reader.bytes(of: source)
                let info = try decoder.info(of: data, limits: limits.decoding)
                try FileEnd.check(data, format: info.format)
                Console.print(json ? info.json(source: name, byteCount: data.count).text : info.lines(source: name, data.count))
            } catch {
                failures.add(name, error)
            }
        }
        try failures.throwIfAny()
    }
}

extension ImageInfo {
    /// The members that scripts rely on.
    fileprivate func json(source: String, byteCount: Int) -> JSONObject {
        var object = JSONObject()
        object["source"] = .string(source)
        object["format"] = .string(format.rawValue)
        object["width"] = .integer(size.width)
        object["height"] = .integer(size.height)
        object["frames"] = .integer(frameCount)
        object["orientation"] = .integer(orientation.rawValue)
        object["hasAlpha"] = .boolean(hasAlpha)
        object["bitDepth"] = .integer(bitDepth)
        object["colorModel"] = .string(colorModel.rawValue)
        object["colorProfile"] = .optional(colorProfile)
        object["isProgressive"] = .boolean(isProgressive)
        object["byteCount"] = .integer(byteCount)
        return object
    }

    /// The same for people: the source, then a line for each fact.
    fileprivate func lines(source: String, _ byteCount: Int) -> String {
        let facts: [(String, String)] = [
            ("format", format.rawValue), ("width", "\(size.width)"), ("height", "\(size.height)"), ("frames", "\(frameCount)"),
            ("orientation", "\(orientation.rawValue)"), ("hasAlpha", "\(hasAlpha)"), ("bitDepth", "\(bitDepth)"),
            ("colorModel", colorModel.rawValue), ("colorProfile", colorProfile ?? "none"), ("isProgressive", "\(isProgressive)"),
            ("byteCount", "\(byteCount)"),
        ]
        let lines = facts.map { name, value in
            "  \(name):" + String(repeating: " ", count: 14 - name.count) + Terminal.sanitized(value)
        }
        return ([Terminal.sanitized(source)] + lines).joined(separator: "\n")
    }
}
