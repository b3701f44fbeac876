/// A JSON object (RFC 8259) with its members in the order they were added, on one line.
struct JSONObject {
    enum Value {
        case string(String)
        case integer(Int)
        case number(Double)
        case boolean(Bool)
        case null
        case object(JSONObject)
        case array([Value])
    }

    private var members: [(name: String, value: Value)] = []

    subscript(name: String) -> Value? {
        get { members.first { $0.name == name }?.value }
        set {
            members.removeAll { $0.name == name }
            if let newValue { members.append((name, newValue)) }
        }
    }

    /// The object as text, without line breaks.
    var text: String { Value.object(self).text }
}

extension JSONObject.Value {
    /// `nil` becomes `null`.
    static func optional(_ text: String?) -> Self { text.map(Self.string) ?? .null }

    var text: String {
        switch self {
        case .string(let text): return JSONObject.Value.quoted(text)
        case .integer(let value): return "\(value)"
        case .number(let value): return value.isFinite ? "\(value)" : "null"
        case .boolean(let value): return value ? "true" : "false"
        case .null: return "null"
        case .object(let object): return object.joined
        case .array(let values): return "[" + values.map(\.text).joined(separator: ", ") + "]"
        }
    }

    /// Quotes, backslashes and control characters are escaped; everything else stands as UTF-8.
    fileprivate static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 32 || 127...159 ~= scalar.value:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension JSONObject {
    fileprivate var joined: String {
        "{" + members.map { "\(Value.quoted($0.name)): \($0.value.text)" }.joined(separator: ", ") + "}"
    }
}
