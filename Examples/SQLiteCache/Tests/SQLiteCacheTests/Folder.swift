import Foundation
import ImageCore
import SQLiteCache

/// A temporary directory, removed with its last reference.
final class Folder: Sendable {
    let url: URL

    init(name: String = "images") throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "sqlite-cache-\(UUID())/\(name)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

    var file: URL { url.appending(path: "images.sqlite") }

    func cache(
        maximumBytes: Int = 2_000_000, timeToLive: Duration = .seconds(3_600), now: @escaping @Sendable () -> Double = { 1_000 }
    ) -> SQLiteCache {
        var configuration = SQLiteCache.Configuration(directory: url)
        (configuration.maximumBytes, configuration.timeToLive, configuration.now) = (maximumBytes, timeToLive, now)
        return SQLiteCache(configuration)
    }
}

func key(_ name: String, variant: String? = nil) -> DataKey {
    DataKey(resource: ResourceKey("https://example.org/\(name)"), variant: variant)
}

func body(_ seed: Int, count: Int = 1_000) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed) }) }

func entry(_ seed: Int, count: Int = 1_000) -> DataEntry { DataEntry(data: body(seed, count: count), storedAt: Double(seed)) }
