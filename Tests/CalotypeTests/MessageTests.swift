import Foundation
import ProjectFiles
import Testing

/// `Messages.txt` has every error message of the sources, one a line, so that a review sees changed messages beside all
/// others. `CALOTYPE_WRITE_MESSAGES=1` writes the file.
@Suite struct Messages {
    private let file = ProjectFiles.fixtures.appending(path: "Messages.txt")

    @Test func everyMessageIsInTheReviewedFile() throws {
        let found = try messages()
        try #require(found.count > 150)
        let text = found.map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment["CALOTYPE_WRITE_MESSAGES"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let reviewed = try String(contentsOf: file, encoding: .utf8)
        let changes = found.difference(from: reviewed.split(separator: "\n").map(String.init))
        #expect(changes.isEmpty, "Review the messages, and run the test with CALOTYPE_WRITE_MESSAGES=1.")
    }

    @Test func everyMessageIsASentence() throws {
        for message in try messages() {
            let text = try #require(message.split(separator: ": ", maxSplits: 1).last)
            #expect(text.hasSuffix(".") || text.hasSuffix(")") || text.hasSuffix("…"), "\(message)")
        }
    }

    /// The messages with their modules, sorted.
    private func messages() throws -> [String] {
        let sources = ProjectFiles.root.appending(path: "Sources")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
        let groups: Set = ["Integrations", "Testing"]
        return try paths.flatMap { path in
            let folders = path.split(separator: "/").map(String.init)
            let module = groups.contains(folders[0]) ? folders[1] : folders[0]
            let source = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            return MessageScanner.messages(in: source).map { "\(module): \($0)" }
        }.sorted()
    }
}

/// Finds the string literals that are error messages in a source file.
private struct MessageScanner {
    private static let multiline = "\"\"\""
    private var rest: Substring

    static func messages(in source: String) -> [String] {
        ["message:", "message =", "ValidationError("].flatMap { label in
            source.ranges(of: label).compactMap { range in
                var scanner = MessageScanner(rest: source[range.upperBound...])
                return scanner.concatenation()
            }
        }
    }

    /// The text of literals that `+` joins, with … for other operands; `nil` if no literal follows.
    private mutating func concatenation() -> String? {
        var text = ""
        repeat {
            rest = rest.drop { $0.isWhitespace }
            guard let literal = literal() else { return text.isEmpty ? nil : text + "…" }
            text += literal
            rest = rest.drop { $0.isWhitespace }
        } while skip("+")
        return text
    }

    /// A literal without its quotes. Interpolations stay as they are written, and the lines of a multi-line literal are
    /// joined.
    private mutating func literal() -> String? {
        if rest.hasPrefix(Self.multiline) {
            rest.removeFirst(Self.multiline.count)
            let end = rest.firstRange(of: Self.multiline)?.lowerBound ?? rest.endIndex
            defer { rest = rest[end...].dropFirst(Self.multiline.count) }
            let lines = rest[..<end].split(separator: "\n").map { $0.drop { $0 == " " } }
            return lines.map { $0.hasSuffix("\\") ? $0.dropLast() : $0 }.joined()
        }
        guard skip("\"") else { return nil }
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            text.append(character)
            guard character == "\\", let escaped = rest.popFirst() else { continue }
            text.append(escaped)
            if escaped == "(" { text += interpolation() }
        }
        return text
    }

    private mutating func interpolation() -> String {
        var (text, depth) = ("", 1)
        while depth > 0, let next = rest.first {
            if next == "\"" {
                text += "\"\(literal() ?? "")\""
                continue
            }
            rest.removeFirst()
            text.append(next)
            if next == "(" { depth += 1 } else if next == ")" { depth -= 1 }
        }
        return text
    }

    private mutating func skip(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }
}
