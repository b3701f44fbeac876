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
        guard let end = Self.firstIndex(of: ")", in: rest) else {
            throw ImageError(.invalidRequest, message: "The arguments of the processor \(name) have no closing parenthesis.")
        }
        let inside = rest[..<end]
        rest = rest[rest.index(after: end)...]
        return (String(name), Self.values(inside))
    }

    /// The arguments between a pair of parentheses.
    static func values(_ inside: Substring) -> [Value] {
        guard !inside.allSatisfy(\.isWhitespace) else { return [] }
        var values: [Value] = []
        var left = inside
        while let comma = firstIndex(of: ",", in: left) {
            values.append(value(left[..<comma]))
            left = left[left.index(after: comma)...]
        }
        return values + [value(left)]
    }

    private static func value(_ text: Substring) -> Value {
        guard let equals = firstIndex(of: "=", in: text) else { return Value(name: nil, text: bare(text)) }
        return Value(name: bare(text[..<equals]), text: bare(text[text.index(after: equals)...]))
    }

    /// Removes the spaces around a text, and then the quotation marks around it.
    private static func bare(_ text: Substring) -> String {
        let start = text.drop { $0.isWhitespace }
        let trimmed = start.reversed().drop { $0.isWhitespace }.reversed()
        guard trimmed.count >= 2, trimmed.first == "\"", trimmed.last == "\"" else { return String(trimmed) }
        return String(trimmed.dropFirst().dropLast())
    }

    /// The position of a character outside of quotation marks.
    private static func firstIndex(of character: Character, in text: Substring) -> Substring.Index? {
        var isQuoted = false
        for index in text.indices {
            if text[index] == "\"" { isQuoted.toggle() }
            if text[index] == character, !isQuoted { return index }
        }
        return nil
    }
}
