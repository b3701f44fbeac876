import CalotypeTesting
import ImageCore
import Testing

/// A broken part, and the rule by which the kit must catch it.
struct Proof: Sendable, CustomTestStringConvertible {
    let rule: String
    let what: String
    let check: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - rule: The description of a ``ConformanceRule``.
    ///   - what: What the part does wrong.
    ///   - check: Checks the part.
    init(_ rule: String, _ what: String, _ check: @escaping @Sendable () async throws -> Void) {
        (self.rule, self.what, self.check) = (rule, what, check)
    }

    var testDescription: String { "\(rule): \(what)" }
}

/// The kit catches deliberately broken parts, at least one for each rule (FEATURES 15.1).
@Suite(.timeLimit(.minutes(3))) struct BrokenParts {
    static let proofs =
        decodingProofs + animationProofs + encodingProofs + processingProofs + cachingProofs + dataCachingProofs
        + adapterProofs + loadingProofs + interceptorProofs + loadInterceptorProofs + observerProofs + responseCachingProofs
        + providingProofs + animationFramesProofs

    @Test(arguments: proofs) func aBrokenPartFailsItsRule(_ proof: Proof) async throws {
        do {
            try await proof.check()
            Issue.record("The part passed.")
        } catch let failure as ConformanceFailure {
            #expect(failure.rules.map(\.description).contains(proof.rule), "\(failure)")
        }
    }

    /// Two layers that never ask the server, one of which sends what only the client should know, keep no rule of HTTP.
    @Test func layersThatInventTheirResponsesFailEveryRuleOfHTTP() async throws {
        var failed: Set<String> = []
        for body in [Data(), Data([1])] {
            do {
                try await DataLoadingConformance.check(limit: .milliseconds(300)) { ScriptedLoader { _ in .body(body) } }
                Issue.record("The layer passed.")
            } catch let failure as ConformanceFailure {
                failed.formUnion(failure.rules.map(\.description))
            }
        }
        #expect(Set(Self.httpRules).subtracting(failed).sorted() == [])
    }

    private static var httpRules: [String] {
        ConformanceRule.all.filter { $0.plugIn == "DataLoading (HTTP)" }.map(\.description)
    }

    @Test func everyRuleIsProvenByABrokenPart() {
        let proven = Set(Self.proofs.map { $0.rule } + Self.httpRules)
        let rules = Set(ConformanceRule.all.map(\.description))
        #expect(rules.subtracting(proven).sorted() == [])
        #expect(proven.subtracting(rules).sorted() == [])
    }

    @Test func rulesHaveUniqueNamesAndASentence() {
        let rules = ConformanceRule.all
        #expect(Set(rules.map(\.description)).count == rules.count)
        for rule in rules { #expect(rule.sentence.hasSuffix("."), "\(rule)") }
    }
}
