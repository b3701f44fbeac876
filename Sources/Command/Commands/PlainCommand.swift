internal import ImageCore
internal import ImageKernels

/// Commands in their plainest words, read without the argument parser: that looks up some hundreds of Swift's types by name
/// when it starts, which takes longer than to decode a small picture.
///
/// Whatever is not as plain as this, or not right, is left to the parser, which knows all words and says what is wrong.
enum PlainCommand {
    case convert(Conversion)
    case info(sources: [String], json: Bool)
    case decodeOnce(path: String)

    /// - Parameter words: the command line, without the program.
    init?(_ words: [String]) {
        switch words.first {
        case ConvertCommand.name:
            guard let conversion = Conversion(plain: words.dropFirst()) else { return nil }
            self = .convert(conversion)
        case InfoCommand.name:
            let sources = words.dropFirst().filter { $0 != InfoCommand.jsonFlag }
            guard !sources.isEmpty, !sources.contains(where: { $0.hasPrefix("-") }) else { return nil }
            self = .info(sources: sources, json: sources.count < words.count - 1)
        case DecodeOnceCommand.name where words.count == 2 && !words[1].hasPrefix("-"):
            self = .decodeOnce(path: words[1])
        default: return nil
        }
    }

    func run() async throws {
        switch self {
        case .convert(let conversion): try await conversion.run()
        case .info(let sources, let json): try await InfoCommand.tell(of: sources, json: json)
        case .decodeOnce(let path): try DecodeOnceCommand.decode(path)
        }
    }
}

extension Conversion {
    /// `SOURCE OUTPUT`, and of the options `--size`, `--mode`, `--filter`, `--quality` and `--frame`, each as two words.
    fileprivate init?(plain words: ArraySlice<String>) {
        var (files, options, rest) = ([String](), [(name: String, value: String)](), words)
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                files.append(word)
                continue
            }
            guard let value = rest.popFirst(), !value.hasPrefix("-") else { return nil }
            options.append((word, value))
        }
        guard files.count == 2 else { return nil }
        self.init(source: files[0], output: files[1])
        for (name, value) in options {
            switch name {
            case "--size": steps.steps.append("size=" + value)
            case "--mode":
                guard let mode = ContentMode(rawValue: value) else { return nil }
                steps.mode = mode
            case "--filter":
                guard let filter = ResampleFilter(rawValue: value) else { return nil }
                steps.filter = filter
            case "--quality":
                guard let quality = Int(value) else { return nil }
                self.quality = quality
            case "--frame":
                guard let frame = Int(value) else { return nil }
                self.frame = frame
            default: return nil
            }
        }
        do { try validate() } catch { return nil }
    }
}
