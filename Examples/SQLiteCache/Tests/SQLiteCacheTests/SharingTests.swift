import CalotypeTesting
import Foundation
import ImageCore
import SQLiteCache
import Testing

@Suite(.timeLimit(.minutes(1))) struct SharingTests {
    @Test(arguments: 0..<5)
    func twoInstancesShareAFile(round: Int) async throws {
        let folder = try Folder()
        // Both open a file that does not exist.
        let caches = [folder.cache(), folder.cache()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, cache) in caches.enumerated() {
                for worker in 0..<2 {
                    group.addTask {
                        for number in 0..<25 {
                            let name = "\(index) \(worker) \(number)"
                            try await cache.store(entry(number), for: key(name))
                            #expect(try await cache.entry(for: key(name))?.data == body(number))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for cache in caches {
            for index in 0..<2 {
                for number in 0..<25 { #expect(try await cache.entry(for: key("\(index) 0 \(number)"))?.data == body(number)) }
            }
        }
        try await caches[0].removeEntry(for: key("0 0 0"))
        #expect(try await caches[1].entry(for: key("0 0 0")) == nil)
        try await caches[0].removeAll()
        #expect(try await caches[1].entry(for: key("1 1 1")) == nil)
        try await caches[1].store(entry(7), for: key("7"))
        #expect(try await caches[0].entry(for: key("7"))?.data == body(7))
    }

    @Test func theLimitHoldsForBothInstances() async throws {
        let folder = try Folder()
        let caches = [folder.cache(maximumBytes: 100_000), folder.cache(maximumBytes: 100_000)]
        for number in 0..<40 { try await caches[number % 2].store(entry(number, count: 5_000), for: key("\(number)")) }
        var bytes = 0
        for number in 0..<40 { bytes += try await caches[0].entry(for: key("\(number)"))?.data.count ?? 0 }
        #expect(bytes <= 100_000)
        #expect(bytes > 50_000)
    }

    @Test func aFileThatIsDamagedWhileTwoInstancesUseItServesBothAgain() async throws {
        let folder = try Folder()
        let caches = [folder.cache(), folder.cache()]
        for number in 0..<20 { try await caches[number % 2].store(entry(number, count: 5_000), for: key("\(number)")) }
        try await caches[0].flush()
        let file = try FileHandle(forUpdating: folder.file)
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0xff, count: 80_000))
        try file.close()
        for cache in caches {
            for number in 0..<20 {
                guard let found = try? await cache.entry(for: key("\(number)")) else { continue }
                #expect(found.data == body(number, count: 5_000))
            }
        }
        for (number, cache) in caches.enumerated() { try await cache.store(entry(number), for: key("new \(number)")) }
        for cache in caches + [folder.cache()] {
            for number in 0..<2 { #expect(try await cache.entry(for: key("new \(number)"))?.data == body(number)) }
        }
    }
}
