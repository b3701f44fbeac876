import Calotype
import CalotypeTesting
import Foundation
import Testing

/// A local file that was rewritten is never shown as it was (FEATURES 1.18).
@Suite(.timeLimit(.minutes(1))) struct VersionsOfLocalSources {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "versions-\(UUID().uuidString)")
    private let loader = makeStandardLoader(memory: MemoryCache(), disk: LoggedDataCache())

    private func withFolder(_ body: () async throws -> Void) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body()
    }

    private func red(_ url: URL, size: PixelSize? = nil) async throws -> UInt8 {
        TestImages.pixel(of: try await loader.image(for: ImageRequest(url: url, size: size)), x: 0, y: 0)[0]
    }

    private func png(_ red: UInt8) throws -> Data { Data(try servedPNG(red: red)) }

    /// How a file changes.
    enum Change: CaseIterable, Sendable {
        case inPlace, replaced, replacedKeepingItsTime, linkTarget
    }

    @Test(arguments: Change.allCases) func aRewrittenFileIsShownAsItIs(_ change: Change) async throws {
        try await withFolder {
            var file = folder.appending(path: "a.png")
            let other = folder.appending(path: "b.png")
            try png(1).write(to: file)
            if change == .linkTarget {
                file = folder.appending(path: "link.png")
                try FileManager.default.createSymbolicLink(at: file, withDestinationURL: folder.appending(path: "a.png"))
            }
            let old = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "a.png").path)
            #expect(try await red(file) == 1)
            #expect(loader.cachedImage(for: file) != nil)
            #expect(try await loader.response(for: file).tier == .memory)
            switch change {
            // A different length, because both writes may fall into one tick of the clock.
            case .inPlace: try Data(try png(2) + [0]).write(to: file)
            case .replaced, .replacedKeepingItsTime:
                try png(2).write(to: other)
                if change == .replacedKeepingItsTime {
                    try FileManager.default.setAttributes([.modificationDate: old[.modificationDate]!], ofItemAtPath: other.path)
                }
                #expect(unsafe rename(other.path, file.path) == 0)
            case .linkTarget:
                try png(2).write(to: other)
                try FileManager.default.removeItem(at: file)
                try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
            }
            #expect(loader.cachedImage(for: file) == nil)
            #expect(try await red(file) == 2)
            #expect(try await red(file, size: PixelSize(width: 10, height: 5)) == 2)
            #expect(try await loader.response(for: file).tier == .memory)
        }
    }

    @Test func aRemovedFileFails() async throws {
        try await withFolder {
            let file = folder.appending(path: "a.png")
            try png(1).write(to: file)
            #expect(try await red(file) == 1)
            try FileManager.default.removeItem(at: file)
            let failure = await #expect(throws: LoadFailure.self) { try await loader.image(for: file) }
            #expect(failure?.error?.code == .fileUnreadable)
        }
    }

    @Test func removingAFilesVariantsRemovesAllVersions() async throws {
        try await withFolder {
            let file = folder.appending(path: "a.png")
            try png(1).write(to: file)
            _ = try await red(file)
            try await loader.cache.removeAllVariants(of: file)
            #expect(loader.cachedImage(for: file) == nil)
        }
    }

    private final class Archive: DataLoading {
        let state: Lock<(version: String?, file: Data)>
        let head: HTTPResponse
        let tier: CacheTier

        init(_ file: Data, version: String?, head: HTTPResponse = HTTPResponse(status: .ok), tier: CacheTier = .network) {
            state = Lock((version, file))
            (self.head, self.tier) = (head, tier)
        }

        func version(of url: URL) -> String? { state.withLock { $0.version } }
        func load(_ request: DataRequest) -> DataResponse {
            DataResponse(url: request.url, head: head, body: ByteStream(state.withLock { $0.file }), tier: tier)
        }
    }

    private func loader(_ archive: Archive, memory: MemoryCache?) -> ImageLoader {
        makeStandardLoader(memory: memory, disk: LoggedDataCache()) { $0.schemes["zip"] = archive }
    }

    @Test("A scheme of an app tells versions apart", arguments: [true, false]) func aSchemeHasVersions(_ hasMemory: Bool)
        async throws
    {
        let archive = Archive(try png(1), version: "1")
        let loader = loader(archive, memory: hasMemory ? MemoryCache() : nil)
        let url = URL(string: "ZIP://file/a.png")!
        func red() async throws -> UInt8 {
            let image = try await loader.image(for: url)
            try await loader.flush()
            return TestImages.pixel(of: image, x: 0, y: 0)[0]
        }
        #expect(try await red() == 1)
        archive.state.withLock { $0.file = (try? png(2)) ?? Data() }
        #expect(try await red() == 1)
        archive.state.withLock { $0.version = "2" }
        #expect(try await red() == 2)
    }

    @Test("A scheme of an app keeps its bytes off the disk")
    func aSchemeKeepsItsBytesOffTheDisk() async throws {
        let noStore = HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"])
        for archive in [Archive(try png(1), version: nil, tier: .local), Archive(try png(1), version: nil, head: noStore)] {
            let loader = loader(archive, memory: nil)
            let url = URL(string: "zip://file/a.png")!
            _ = try await loader.image(for: url)
            try await loader.flush()
            archive.state.withLock { $0.file = (try? png(2)) ?? Data() }
            #expect(TestImages.pixel(of: try await loader.image(for: url), x: 0, y: 0)[0] == 2)
        }
    }

    @Test("Every loader that wraps another one passes the version on") func wrappersPassTheVersionOn() throws {
        let archive = Archive(Data(), version: "7")
        var policy = SourcePolicy()
        policy.schemes = ["zip"]
        let wrappers: [any DataLoading] = [
            RetryingLoader(archive), HostBackoffLoader(archive), ResumingLoader(archive),
            ThrottledLoader(archive, limit: BandwidthLimit(bytesPerSecond: 1)), InterceptedLoader(archive, interceptors: []),
            CachedLoader(archive, cache: HTTPCache(store: LoggedDataCache())),
            NetworkAwareLoader(archive, monitor: NetworkMonitor()),
            SchemeRouter().registering(archive, for: ["zip"]), GuardedLoader(archive, policy: policy),
        ]
        for wrapper in wrappers { #expect(wrapper.version(of: URL(string: "zip://a/b")!) == "7", "\(type(of: wrapper))") }
    }
}
