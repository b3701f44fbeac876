internal import ImageCore

/// Splits a list of processors into names and arguments.
struct ProcessorScanner {
    /// One argument: `value`, or `name=value`.
    struct Value: Hashable {
        var name: String?
        var text: String
    }

    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    /// The next processor's name and arguments; `nil` at the end.
    mutating func next() throws(ImageError) -> (name: String, values: [Value])? {
        rest = rest.drop { $0.isWhitespace }
        guard let first = rest.first else { return nil }
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
        guard !name.isEmpty else {
            throw ImageError(.invalidRequest, message: "A processor's name was expected before \"\(first)\".")
        }
        rest.removeFirst(name.count)
        guard rest.first == "(" else {
            guard rest.first?.isWhitespace ?? true else {
                throw ImageError(.invalidRequest, message: "A space or parenthesis was expected after the processor \(name).")
            }
            return (String(name), [])
        }
        rest.removeFirst()
        guard let end = rest.firstIndex(of: ")") else {
            throw ImageError(.invalidRequest, message: "The arguments of the processor \(name) have no closing parenthesis.")
        }
        let inside = rest[..<end]
        rest = rest[rest.index(after: end)...]
        let isEmpty = inside.allSatisfy(\.isWhitespace)
        return (String(name), isEmpty ? [] : inside.split(separator: ",", omittingEmptySubsequences: false).map(Self.value))
    }

    private static func value(_ text: Substring) -> Value {
        func trimmed(_ text: Substring) -> String {
            String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        }
        guard let equals = text.firstIndex(of: "=") else { return Value(name: nil, text: trimmed(text)) }
        return Value(name: trimmed(text[..<equals]), text: trimmed(text[text.index(after: equals)...]))
    }
}
