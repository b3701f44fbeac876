import Calotype
import Foundation
import LabModel
import Testing

/// The scenarios against the real server, at a faster pace than on the screen.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ScenarioTests {
    private func run(_ id: String) async throws -> (Scenario.Result, [Timeline.Entry]) {
        let timeline = Timeline()
        let server = try LabServer(timeline)
        defer { server.stop() }
        server.delay = .milliseconds(5)
        let scenario = try #require(Scenario.all.first { $0.id == id })
        let result = await scenario.run(on: server, timeline, pace: .milliseconds(60))
        return (result, timeline.entries)
    }

    @Test(arguments: Scenario.all.map(\.id)) func theScenarioEndsAsExpected(_ id: String) async throws {
        let (result, entries) = try await run(id)
        #expect(result.isAsExpected, "\(entries.map(\.text))")
    }

    @Test func theTimelineHasTheStepsOfServerAndLoaderInOrder() async throws {
        let (result, entries) = try await run("retry")
        #expect(result.image?.size == PixelSize(width: 160, height: 120))
        let answers = entries.filter { $0.source == .server }.map(\.text)
        #expect(answers == ["503", "503", "200"].map { "GET /fails/2/1.jpg: \($0)" })
        #expect(entries.map(\.time) == entries.map(\.time).sorted())
        #expect(entries.last?.source == .lab && entries.filter { $0.text.contains("finished") }.count == 1)
    }

    @Test func aBrokenBodyIsResumedWhereItBroke() async throws {
        let (_, entries) = try await run("resume")
        let answers = entries.filter { $0.source == .server }.map(\.text)
        #expect(answers.count == 2 && answers[0].contains("cut after") && answers[1].contains("206 from byte"))
    }
}
