import ArchiveLayer
import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ArchiveLoaderTests {
    private let folder = TemporaryFolder()

    @Test func imageIsLoadedAgainAfterTheArchiveHasChanged() async throws {
        let archive = try folder.write(ZipFile([ZipFile.Entry("cats/tom", Data([7]))]).bytes, to: "album.zip")
        let store = LoggedDataCache()
        let loader = ImageLoader(
            ImageLoader.Configuration(
                dataLoader: ArchiveLoader(), decoder: ScriptedDecoder(), memoryCache: LoggedMemoryCache(), dataCache: store))
        let request = ImageRequest(url: try entryURL("cats/tom", in: archive))

        let first = try await loader.response(for: request)
        let again = try await loader.response(for: request)
        #expect(TestImages.color(of: first.image) == [7, 0, 0])
        #expect(first.tier == .local && again.tier == .memory)

        try folder.write(ZipFile([ZipFile.Entry("cats/tom", Data([9]))]).bytes, to: "album.zip")
        let later = try await loader.response(for: request)
        #expect(TestImages.color(of: later.image) == [9, 0, 0])
        #expect(later.tier == .local)
        try await loader.flush()
        #expect(store.keys.isEmpty)
    }

    @Test func errorNamesTheEntryThatIsMissing() async throws {
        let archive = try folder.write(ZipFile([ZipFile.Entry("cats/tom", Data([7]))]).bytes, to: "album.zip")
        let loader = ImageLoader(ImageLoader.Configuration(dataLoader: ArchiveLoader(), decoder: ScriptedDecoder()))
        let failure = await #expect(throws: LoadFailure.self) {
            try await loader.image(for: try entryURL("cats/tim", in: archive))
        }
        #expect(failure?.error?.code == .notFound)
        #expect(failure?.error?.source?.hasSuffix("album.zip!/cats/tim") == true)
    }

    // MARK: Archives of other programs

    @Test(arguments: [
        // Info-ZIP's `zip` writes to a pipe: with lengths of the kind zip64 in front of the data.
        (
            "-", Data([7]) + Data("cat".utf8),
            "UEsDBC0AAAAAALKWe10ffYzd//////////8BABQALQEAEAAEAAAAAAAAAAQAAAAAAAAAB2NhdFBLAQIeAy0AAAAAALKWe10ffYzdBAAAAAQAAAABAAAAAAAA"
                + "AAEAAACAEQAAAAAtUEsGBiwAAAAAAAAAHgMtAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAC8AAAAAAAAANwAAAAAAAABQSwYHAAAAAGYAAAAAAAAAAQAA"
                + "AFBLBQYAAAAAAQABAC8AAAA3AAAAAAA="
        ),
        // Python's `zipfile` writes to a pipe: with lengths behind the data.
        (
            "photos/\u{fc}.bin", Data(repeating: 7, count: 40),
            "UEsDBBQACAgIAAAAIQAAAAAAAAAAAAAAAAANAAAAcGhvdG9zL8O8LmJpbmNnJw4AAFBLBwjkFAyZBgAAACgAAABQSwECFAMUAAgICAAAACEA5BQMmQYAAAAo"
                + "AAAADQAAAAAAAAAAAAAAgAEAAAAAcGhvdG9zL8O8LmJpblBLBQYAAAAAAQABADsAAABBAAAAAAA="
        ),
    ])
    func archiveOfAnotherProgramIsRead(name: String, contents: Data, file: String) async throws {
        let archive = try folder.write(try #require(Data(base64Encoded: file)), to: "other.zip")
        #expect(try await load(try entryURL(name, in: archive)) == contents)
    }

    @Test func namesAreComparedByTheirBytes() async throws {
        let names = ["caf\u{e9}", "cafe\u{301}", "../../etc/passwd", "/etc/passwd", "a\\b", "a//b", "a/./b", "A", "a\n"]
        let entries = names.enumerated().map { ZipFile.Entry($1, Data([UInt8($0)])) }
        let archive = try folder.write(ZipFile(entries).bytes, to: "names.zip")
        for (index, name) in names.enumerated() {
            #expect(try await load(try entryURL(name, in: archive)) == Data([UInt8(index)]), "\(name)")
        }
    }

    @Test func lastOfSeveralEntriesWithOneNameCounts() async throws {
        let entries = [ZipFile.Entry("a", Data([1])), ZipFile.Entry("a", Data([2]))]
        let archive = try folder.write(ZipFile(entries).bytes, to: "twice.zip")
        #expect(try await load(try entryURL("a", in: archive)) == Data([2]))
    }

    @Test func emptyEntryHasNoChunk() async throws {
        let entries = [ZipFile.Entry("stored", Data(), isStored: true), ZipFile.Entry("deflated", Data())]
        let archive = try folder.write(ZipFile(entries).bytes, to: "empty.zip")
        for entry in ["stored", "deflated"] { #expect(try await load(try entryURL(entry, in: archive)).isEmpty) }
    }

    /// Forty thousand blocks of deflated data without a byte.
    @Test func partThatInflatesToNothingIsNoChunk() async throws {
        var entry = ZipFile.Entry("a", Data([5]))
        entry.data = Data((0..<40_000).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] }) + entry.data
        let archive = try folder.write(ZipFile([entry]).bytes, to: "blocks.zip")
        let response = try await ArchiveLoader().load(DataRequest(url: try entryURL("a", in: archive)))
        #expect(try await response.body.reduce(into: []) { $0.append($1) } == [Data([5])])
    }

    // MARK: URLs

    @Test(arguments: [
        "zip:///a.zip", "zip:///a.zip!", "zip://host/a.zip!/b", "zip:///a.zip!/b?c", "zip:///a.zip!/b#c", "zip:a.zip!/b",
        "zip:///a%00.zip!/b", "zip:///a.zip!/%FF", "zip:",
    ])
    func urlOfAnotherFormIsInvalid(text: String) async throws {
        await expect(.invalidRequest, from: try #require(URL(string: text)))
    }

    @Test func markWithinThePathOfTheArchiveIsEncoded() async throws {
        let archive = try folder.write(ZipFile([ZipFile.Entry("b!/c", Data([1]))]).bytes, to: "wow!/a.zip")
        let path = archive.path(percentEncoded: true)
        let right = try #require(URL(string: "ZIP://\(path.replacing("!", with: "%21"))!/b!/c"))
        #expect(try await load(right) == Data([1]))
        await expect(.fileUnreadable, from: try #require(URL(string: "zip://\(path)!/b!/c")))
    }

    // MARK: Hostile archives

    enum Place { case entry, directory, end }

    /// Each writes a number over a field of an archive with one deflated entry.
    @Test(
        arguments: [
            (.directory, 8, 2, 1, .unsupportedFeature), (.directory, 8, 2, 0x2000, .unsupportedFeature),
            (.directory, 10, 2, 9, .unsupportedFeature), (.directory, 10, 2, 99, .unsupportedFeature),
            (.directory, 20, 4, 0xFFFF_FFFF, .unsupportedFeature), (.directory, 24, 4, 0xFFFF_FFFF, .unsupportedFeature),
            (.directory, 42, 4, 0xFFFF_FFFF, .unsupportedFeature), (.end, 4, 2, 1, .unsupportedFeature),
            (.end, 10, 2, 0xFFFF, .unsupportedFeature), (.end, 12, 4, 0x0200_0000, .unsupportedFeature),
            (.end, 16, 4, 0xFFFF_FFFF, .unsupportedFeature),
            // The checksum, and lengths that are wrong.
            (.directory, 16, 4, 0, .corrupt), (.directory, 20, 4, 3, .corrupt), (.directory, 20, 4, 0xFFFF_FFF0, .corrupt),
            (.directory, 24, 4, 0, .corrupt), (.directory, 24, 4, 999, .corrupt), (.directory, 24, 4, 1_001, .corrupt),
            (.directory, 10, 2, 0, .corrupt), (.directory, 28, 2, 0xFFFF, .corrupt), (.directory, 30, 2, 0xFFFF, .corrupt),
            (.directory, 0, 4, 0, .corrupt), (.end, 10, 2, 2, .corrupt), (.end, 12, 4, 0, .corrupt), (.end, 12, 4, 45, .corrupt),
            (.end, 12, 4, 999_999, .corrupt), (.end, 20, 2, 1, .corrupt), (.entry, 26, 2, 0xFFFF, .corrupt),
            // Offsets to another place.
            (.end, 16, 4, 0, .corrupt), (.end, 16, 4, 0xFFFF_FFF0, .corrupt), (.directory, 42, 4, 0xFFFF_FFF0, .corrupt),
            (.directory, 42, 4, 4, .corrupt), (.entry, 40, 4, 0xFFFF_FFFF, .corrupt),
        ] as [(Place, Int, Int, Int, ImageError.Code)])
    func damagedArchiveIsAnError(place: Place, offset: Int, count: Int, value: Int, code: ImageError.Code) async throws {
        let contents = Data((0..<1_000).map { UInt8($0 % 199) })
        var file = ZipFile([ZipFile.Entry("a", contents)])
        let start = [.entry: 0, .directory: file.directory, .end: file.end][place] ?? 0
        let archive = try folder.write(file.bytes, to: "a.zip")
        #expect(try await load(try entryURL("a", in: archive)) == contents)

        file.write(value, count, at: start + offset)
        try folder.write(file.bytes, to: "a.zip")
        await expect(code, from: try entryURL("a", in: archive))
    }

    @Test func everyDamagedByteIsAnErrorOrDoesNotMatter() async throws {
        let contents = Data("a cat, a cat, a cat".utf8)
        let file = ZipFile([ZipFile.Entry("a", contents), ZipFile.Entry("b", contents, isStored: true)]).bytes
        let loader = ArchiveLoader()
        for index in file.indices {
            for mask in [0xFF, 0x01, 0x80] as [UInt8] {
                var damaged = file
                damaged[index] ^= mask
                let archive = try folder.write(damaged, to: "a.zip")
                for name in ["a", "b"] {
                    do {
                        let body = try await loader.load(DataRequest(url: try entryURL(name, in: archive))).body
                        #expect(try await body.reduce(into: Data()) { $0.append($1) } == contents, "byte \(index), \(mask)")
                    } catch is ImageError {}
                }
            }
        }
    }

    @Test func bombIsNotInflated() async throws {
        let zeros = Data(count: 64 << 20)
        var file = ZipFile([ZipFile.Entry("a", zeros)])
        let archive = try folder.write(file.bytes, to: "bomb.zip")
        let source = try entryURL("a", in: archive)
        await expect(.tooLarge, from: source, limit: 1 << 20)

        // It announces a thousand bytes.
        file.write(1_000, 4, at: file.directory + 24)
        try folder.write(file.bytes, to: "bomb.zip")
        let response = try await ArchiveLoader().load(DataRequest(url: source, maximumResponseBytes: 1 << 20))
        #expect(response.expectedBytes == 1_000)
        var chunks = response.body.makeAsyncIterator()
        await #expect(throws: ImageError.self) { try await chunks.next() }
    }

    @Test func whatIsNoArchiveIsAnError() async throws {
        for (name, data) in [("empty.zip", Data()), ("text.zip", Data("no archive".utf8)), ("zeros.zip", Data(count: 100_000))] {
            await expect(.corrupt, from: try entryURL("a", in: try folder.write(data, to: name)))
        }
        let pipe = folder.url.appending(path: "pipe.zip")
        #expect(mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
        for archive in [pipe, folder.url, folder.url.appending(path: "missing.zip")] {
            await expect(.fileUnreadable, from: try entryURL("a", in: archive))
        }
    }

    // MARK: Streams

    @Test func chunkIsReadWhenItIsAskedFor() async throws {
        let contents = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 9) })
        let archive = try folder.write(ZipFile([ZipFile.Entry("a", contents, isStored: true)]).bytes, to: "a.zip")
        var chunks = try await ArchiveLoader().load(DataRequest(url: try entryURL("a", in: archive))).body.makeAsyncIterator()
        let first = try #require(try await chunks.next())
        #expect(first == contents.prefix(first.count))
        #expect(first.count <= 64 << 10)

        try FileHandle(forWritingTo: archive).truncate(atOffset: 500_000)
        let failure = await #expect(throws: ImageError.self) { while try await chunks.next() != nil {} }
        #expect(failure?.code == .corrupt)
    }

    @Test func entryOfAReplacedArchiveIsReadToItsEnd() async throws {
        let contents = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 9) })
        let archive = try folder.write(ZipFile([ZipFile.Entry("a", contents)]).bytes, to: "a.zip")
        let loader = ArchiveLoader()
        let source = try entryURL("a", in: archive)
        let old = try await loader.load(DataRequest(url: source))
        try folder.write(ZipFile([ZipFile.Entry("a", Data([1]))]).bytes, to: "a.zip")
        let new = try await loader.load(DataRequest(url: source))
        #expect(try await new.body.reduce(into: Data()) { $0.append($1) } == Data([1]))
        #expect(try await old.body.reduce(into: Data()) { $0.append($1) } == contents)
    }

    // MARK: Helpers

    private func load(_ url: URL) async throws -> Data {
        try await ArchiveLoader().load(DataRequest(url: url)).body.reduce(into: Data()) { $0.append($1) }
    }

    private func expect(_ code: ImageError.Code, from url: URL, limit: Int? = nil) async {
        let error = await #expect(throws: ImageError.self) {
            let response = try await ArchiveLoader().load(DataRequest(url: url, maximumResponseBytes: limit))
            for try await _ in response.body {}
        }
        #expect(error?.code == code, "\(error?.message ?? "")")
    }
}
