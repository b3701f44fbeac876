/// A rule of a plug-in protocol that a conformance check enforces.
///
/// ```swift
/// for rule in ConformanceRule.all { print(rule.plugIn, rule.name, rule.sentence) }
/// ```
public struct ConformanceRule: Hashable, Sendable, CustomStringConvertible {
    /// The protocol that the rule belongs to, such as `Decoding`.
    public let plugIn: String
    /// The name of the rule, unique within its protocol, such as `reportsTruncation`.
    public let name: String
    /// What a plug-in does that keeps the rule.
    public let sentence: String

    /// The protocol and the name, such as `Decoding.reportsTruncation`.
    public var description: String { "\(plugIn).\(name)" }

    /// The rules of all checks, by protocol.
    public static var all: [ConformanceRule] {
        let lists: [any ConformanceRules.Type] = [
            DecodingRule.self, AnimationRule.self, EncodingRule.self, ProcessingRule.self, CachingRule.self,
            DataCachingRule.self, AdapterRule.self, DataLoadingRule.self, InterceptorRule.self,
            LoadInterceptorRule.self, ObserverRule.self, ResponseCachingRule.self, ProvidingRule.self, AnimationFramesRule.self,
        ]
        return lists.flatMap { $0.rules } + DataLoadingConformance.rules
    }
}

/// The rules of one protocol: each case is the name of a rule, and its raw value the sentence.
protocol ConformanceRules: CaseIterable, RawRepresentable<String>, Hashable, Sendable {
    static var plugIn: String { get }
}

extension ConformanceRules {
    var rule: ConformanceRule { ConformanceRule(plugIn: Self.plugIn, name: "\(self)", sentence: rawValue) }
    static var rules: [ConformanceRule] { allCases.map(\.rule) }
}
