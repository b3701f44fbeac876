import Calotype
import Foundation
import Testing

@testable import ImageCaching

@Suite(.timeLimit(.minutes(1))) struct Presets {
    private func options(_ configuration: StandardConfiguration) throws -> LoadOptions {
        try OptionsBuilder(global: configuration.options).build()
    }

    @Test func everyPresetIsValid() throws {
        let folder = FileManager.default.temporaryDirectory
        for configuration in [StandardConfiguration.standard, .lowData, .memoryOnly, .appExtension(sharing: folder), .server] {
            _ = try options(configuration)
        }
    }

    @Test func theStandardPresetOverridesNothing() {
        #expect(StandardConfiguration.standard.options.isEmpty && OptionLayer.standard.isEmpty)
    }

    @Test func lowDataRestrictsTheUseOfTheNetwork() throws {
        let options = try options(.lowData)
        #expect(!options.allowsExpensiveNetwork && options.retries == 1 && options.maximumResponseBytes == 2_000_000)
    }

    /// FEATURES 3.5: what the guide says of the presets.
    @Test func thePresetsHaveTheLimitsOfTheGuide() throws {
        func limits(_ configuration: StandardConfiguration) throws -> DiskCache.Limits {
            try #require(configuration.dataCache as? DiskCache).configuration.limits
        }
        #expect(try limits(.standard) == DiskCache.Limits() && limits(.server) == DiskCache.Limits())
        #expect(try limits(.lowData) == DiskCache.Limits(timeToLive: .seconds(90 * 86_400)))
        let small = StandardConfiguration.appExtension(sharing: FileManager.default.temporaryDirectory)
        #expect(try limits(small) == DiskCache.Limits(maximumBytes: 50_000_000))
        #expect((small.memoryCache as? MemoryCache)?.limits.maximumBytes == 16_000_000)
        #expect(try options(small).maximumPixels == 20_000_000)
        let server = try options(.server)
        #expect(server.maximumPixels == 50_000_000 && server.maximumResponseBytes == 20_000_000)
        #expect(StandardConfiguration.server.sourcePolicy == .publicWeb)
    }

    @Test func memoryOnlyHasNoDataCache() throws {
        let configuration = StandardConfiguration.memoryOnly
        #expect(configuration.dataCache == nil && configuration.memoryCache != nil)
        let policy = try options(configuration).cachePolicy
        #expect(policy.readsMemory && policy.writesMemory && !policy.readsDisk && !policy.writesDisk)
    }

    @Test func anAppExtensionSharesItsDirectoryWithTheApp() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "preset-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = DataKey(resource: ResourceKey("shared"))
        let inApp = DiskCache(.init(directory: folder))
        try await inApp.store(DataEntry(data: Data([1, 2, 3]), storedAt: Date().timeIntervalSince1970), for: key)
        try await inApp.flush()
        let inExtension = try #require(StandardConfiguration.appExtension(sharing: folder).dataCache)
        #expect(try await inExtension.entry(for: key)?.data == Data([1, 2, 3]))
    }

    /// FEATURES 3.5: one image of the most pixels that are allowed fits, and nothing beside it.
    @Test func anAppExtensionDecodesLittleAtATime() throws {
        let preset = StandardConfiguration.appExtension(sharing: FileManager.default.temporaryDirectory)
        #expect(preset.limits.concurrentDecodeBytes == 4 * (try #require(try options(preset).maximumPixels)))
    }

    @Test func theServerPresetHasASeparateDirectory() throws {
        func directory(_ configuration: StandardConfiguration) throws -> URL {
            try #require(configuration.dataCache as? DiskCache).directory
        }
        for other in [StandardConfiguration.standard, .lowData] { #expect(try directory(.server) != directory(other)) }
    }

    @Test func aLoadOfTheServerPresetEndsWithinTenSeconds() throws {
        let options = try options(.server)
        #expect(options.deadline == .seconds(10) && options.timeout == .seconds(5))
    }

    @Test func aPresetCanBeChanged() async throws {
        let loader = ImageLoader.standard(.memoryOnly) { $0.options.timeout = .seconds(5) }
        let options = try loader.options(for: ImageRequest(url: try #require(URL(string: "https://example.org/x"))))
        #expect(options.timeout == .seconds(5) && options.cachePolicy == .memoryOnly)
    }

    @Test func runtimeOptionsOverrideThoseOfLaterRequests() async throws {
        let loader = ImageLoader.standard(.memoryOnly)
        var request = ImageRequest(url: try #require(URL(string: "https://example.org/x")))
        request.options.retries = 7
        #expect(try loader.options(for: request).retries == 7)
        loader.runtimeOptions = .lowData
        #expect(try loader.options(for: request).retries == 1)
        loader.runtimeOptions = .standard
        #expect(try loader.options(for: request).retries == 7)
    }

    @Test func whenLayersAreMergedTheSecondTakesPrecedence() throws {
        let first = OptionLayer {
            $0.timeout = .seconds(1)
            $0.retries = 1
        }
        let merged = first.merging(OptionLayer { $0.retries = 2 })
        #expect(merged.timeout == .seconds(1) && merged.retries == 2)
        #expect(first.retries == 1)
    }
}
