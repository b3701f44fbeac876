/// A JSON value (RFC 8259) as text on one line. Members keep their order, which Foundation's encoder does not offer.
enum JSON {
    case string(String?)
    case integer(Int?)
    case number(Double)
    case boolean(Bool)
    case array([JSON])
    case object([(name: String, value: JSON)])

    /// The text without line breaks. A missing value and a number that is not finite become `null`.
    var text: String {
        switch self {
        case .string(let value): value.map(JSON.quoted) ?? "null"
        case .integer(let value): value.map { "\($0)" } ?? "null"
        case .number(let value): value.isFinite ? "\(value)" : "null"
        case .boolean(let value): "\(value)"
        case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { JSON.quoted($0.name) + ": " + $0.value.text }.joined(separator: ", ") + "}"
        }
    }

    /// Escapes quotation marks, backslashes and control characters; everything else stays UTF-8.
    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"", "\\": return "\\\(scalar)"
            case "\n": return "\\n"
            case "\t": return "\\t"
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}":
                return "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: return String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
