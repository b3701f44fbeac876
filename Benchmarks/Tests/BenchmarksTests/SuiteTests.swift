import Testing

@testable import Benchmarks

@Suite(.serialized) struct SuiteTests {
    @Test func aSuiteIsSelectedByItsNameAndByItsFamily() {
        let suite = Suite.decoding[0]
        #expect(suite.name == "decode-jpeg" && suite.isSelected(by: "decode-jpeg") && suite.isSelected(by: "decode"))
        #expect(!suite.isSelected(by: "dec") && !suite.isSelected(by: "decode-"))
    }

    /// A suite that needs a missing program reports it.
    @Test(arguments: Suite.all.map(\.name))
    func everySuiteRuns(_ name: String) async throws {
        let suite = try #require(Suite.all.first { $0.name == name })
        do {
            let rows = try await suite.run(.smoke, 1)
            #expect(!rows.isEmpty)
            #expect(rows.allSatisfy { $0.median.isFinite && $0.median >= 0 && !$0.name.isEmpty })
        } catch let missing as MissingProgram {
            #expect(missing.isNeeded)
            print("\(name): skipped, because \(missing.name) is not installed")
        }
    }
}
