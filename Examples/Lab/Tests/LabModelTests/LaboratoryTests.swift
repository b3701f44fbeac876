import Calotype
import Foundation
import LabModel
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) @MainActor struct LaboratoryTests {
    private func with(_ body: (Laboratory) async throws -> Void) async throws {
        let lab = try Laboratory()
        defer { lab.close() }
        lab.server.delay = .milliseconds(5)
        try await body(lab)
        lab.close()
        #expect(!FileManager.default.fileExists(atPath: lab.folder.path))
    }

    @Test func whatIsOnDiskSurvivesARestartAndWhatIsInMemoryDoesNot() async throws {
        try await with { lab in
            let request = ImageRequest(url: lab.server.url("/tile/7.jpg"))
            func load() async throws -> CacheTier { try await lab.loader.response(for: request).tier }
            var tiers = [try await load(), try await load()]
            try await lab.clearMemory()
            tiers.append(try await load())
            try await lab.restart()
            tiers.append(try await load())
            try await lab.clearMemory()
            try await lab.clearDisk()
            tiers.append(try await load())
            #expect(tiers == [.network, .memory, .disk, .disk, .network])
        }
    }

    @Test func aHundredRequestsAreOneFetch() async throws {
        try await with { lab in
            let fetches = try await lab.coalesce(100)
            #expect(fetches == 1)
        }
    }

    @Test func visibleImagesArriveBeforePlainOnesAndPrefetches() async throws {
        try await with { lab in
            lab.server.delay = .milliseconds(40)
            let list = PriorityList(lab.server)
            lab.arrivals.watch(list.urls)
            lab.holdFetches()
            let tasks = list.urls.enumerated().map { index, url in
                lab.loader.task(for: ImageRequest(.url(url), purpose: PriorityList.purpose(of: index)))
            }
            await lab.releaseFetches(whenQueued: PriorityList.count)
            for task in tasks { _ = try await task.image }
            while lab.arrivals.arrived.count < PriorityList.count { await Task.yield() }
            #expect(PriorityList.isByPurpose(lab.arrivals.arrived))
        }
        #expect(!PriorityList.isByPurpose(Array(0..<PriorityList.count)))
    }

    @Test func theTraceIsJSONWithTheLoads() async throws {
        try await with { lab in
            let file = FileManager.default.temporaryDirectory.appending(path: "lab-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            try lab.tracing.start(path: file.path)
            _ = try await lab.loader.image(for: lab.server.url("/tile/1.jpg"))
            lab.tracing.stop()
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
            let events = try #require(json as? [[String: Any]])
            #expect(events.contains { ($0["name"] as? String)?.hasSuffix("/tile/1.jpg") == true })
        }
    }

    @Test func theTerminalShowsThePreviewsAndTheImage() async throws {
        try await with { lab in
            var screens: [TerminalScreen] = []
            let figures = await Comparison.drawInTerminal(lab, .progressive) { screens.append($0) }
            #expect(figures.tier == .network && figures.failure == nil)
            #expect(screens.last?.cells.count == 20 && screens.last?.cells.first?.count == 60)
            #expect(screens.last?.cells.joined().allSatisfy { $0.top != nil && $0.bottom != nil } == true)
            let broken = await Comparison.drawInTerminal(lab, .broken) { _ in }
            #expect(broken.failure != nil && broken.image == nil)
        }
    }
}
