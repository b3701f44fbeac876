internal import HTTPTypes

/// The valid values of options: a rule for each constrained field of ``LoadOptions``.
enum OptionRules {
    private struct Rule: Sendable {
        let option: any PartialKeyPath<LoadOptions> & Sendable
        /// The type of the option. Comparing types first is faster than comparing key paths.
        let type: ObjectIdentifier
        let name: String
        /// The end of the sentence "`name` = `value` …"; `nil` if the value is valid.
        let problem: @Sendable (any Sendable) -> String?

        init<Value: Sendable>(
            _ name: String, _ option: any KeyPath<LoadOptions, Value> & Sendable,
            _ problem: @escaping @Sendable (Value) -> String?
        ) {
            self.name = name
            self.option = option
            type = ObjectIdentifier(Value.self)
            self.problem = { value in (value as? Value).flatMap(problem) }
        }
    }

    private static let rules: [Rule] = [
        Rule("timeout", \.timeout) { $0 > .zero ? nil : "must be positive" },
        Rule("deadline", \.deadline) { ($0 ?? .seconds(1)) > .zero ? nil : "must be positive" },
        Rule("retries", \.retries) { (0...100).contains($0 ?? 0) ? nil : "must be from 0 to 100" },
        Rule("maximumPixels", \.maximumPixels) { ($0 ?? 1) > 0 ? nil : "must be positive" },
        Rule("maximumResponseBytes", \.maximumResponseBytes) { ($0 ?? 1) > 0 ? nil : "must be positive" },
        Rule("targetSize", \.targetSize) { size in
            guard let size else { return nil }
            let sides = 1...1_000_000
            return sides.contains(size.width) && sides.contains(size.height) ? nil : "must have sides from 1 to 1000000 pixels"
        },
        Rule("frame", \.frame) { $0 >= 0 ? nil : "must not be negative" },
        Rule("alpha", \.alpha) { $0 != .opaque ? nil : "must be premultiplied or straight" },
        Rule("headers", \.headers) { $0.count <= 100 ? nil : "must be at most 100 fields" },
        Rule("transition", \.transition) {
            if case .fade(let time) = $0, time < .zero { "must not be negative" } else { nil }
        },
        Rule("placeholder", \.placeholder) {
            guard case .color(let red, let green, let blue, let alpha) = $0 else { return nil }
            return [red, green, blue, alpha].allSatisfy { (0...1).contains($0) } ? nil : "must have components from 0 to 1"
        },
    ]

    /// The sentence part that says why a value is invalid; `nil` if it is valid.
    static func problem<Value: Sendable>(with value: Value, of option: any KeyPath<LoadOptions, Value> & Sendable) -> String? {
        let type = ObjectIdentifier(Value.self)
        guard let index = rules.indices.first(where: { rules[$0].type == type && rules[$0].option as AnyKeyPath == option }),
            let problem = rules[index].problem(value)
        else { return nil }
        // Header fields may contain credentials, so their values are never printed.
        let shown = value is HTTPFields ? "(\((value as? HTTPFields)?.count ?? 0) fields)" : describe(value)
        return "\(rules[index].name) = \(shown) \(problem)"
    }

    private static func describe<Value>(_ value: Value) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional, let inner = mirror.children.first { return "\(inner.value)" }
        return "\(value)"
    }
}
