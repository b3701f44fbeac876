import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import Testing

@testable import ImageNetworkingFoundation

/// A temporary folder of downloads, and files to put there.
struct DownloadBench {
    let root: URL
    let key = String(repeating: "0f", count: 32)
    let head = SessionTransfer.Head(
        url: URL(string: "https://example.org/final.png")!,
        response: HTTPResponse(status: .ok, headerFields: [.contentType: "image/png", .eTag: "\"1\""]))

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    var place: URL { root.appending(path: "folder") }
    func remove() { try? FileManager.default.removeItem(at: root) }

    /// The folder as a new process opens it.
    func folder(maximumBytes: Int = 1_000_000, age: Double = 0) -> DownloadFolder {
        DownloadFolder(path: place.path, maximumBytes: maximumBytes, maximumAge: 100) { Date().timeIntervalSince1970 + age }
    }

    func file(_ body: Data) throws -> URL {
        let file = root.appending(path: UUID().uuidString)
        try body.write(to: file)
        return file
    }

    @discardableResult
    func keep(_ body: Data, key: String? = nil, in folder: DownloadFolder? = nil) throws -> Bool {
        let location = try file(body)
        let opened = try #require(DownloadedFile(path: location.path))
        return (folder ?? self.folder()).keep(opened, count: body.count, at: location.path, head, key: key ?? self.key)
    }

    func name(_ key: String? = nil) -> URL { place.appending(path: "\(key ?? self.key).download") }
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []).sorted() }

    /// Replaces a finished download by damaged bytes.
    func put(_ bytes: Data) throws {
        try? FileManager.default.removeItem(at: name())
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try bytes.write(to: name())
    }
}

func bytes(of response: DataResponse?) async throws -> Data {
    var data = Data()
    for try await chunk in try #require(response).body { data.append(chunk) }
    return data
}

@Suite struct DownloadFolders {
    private let body = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    @Test func aStoredBodyIsReadOnceByTheNextLaunch() async throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        #expect(try bench.keep(body))
        #expect(bench.names == ["\(bench.key).download"])
        let found = try #require(bench.folder().take(bench.key, limit: 10_000))
        #expect(found.head.url == bench.head.url && found.head.response == bench.head.response)
        #expect(try await bytes(of: found.response(chunkBytes: 20_000, source: "")) == body)
        #expect(bench.names == [] && bench.folder().take(bench.key, limit: 10_000) == nil)
    }

    @Test func aLargeBodyIsReadInChunksAndThenRemoved() async throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        try bench.keep(body)
        let response = try #require(bench.folder().take(bench.key, limit: 10_000)).response(chunkBytes: 3000, source: "")
        #expect(response.body.wholeData == nil)
        var sizes: [Int] = []
        for try await chunk in response.body {
            sizes.append(chunk.count)
            #expect(bench.names.isEmpty == (sizes.count == 4))
        }
        #expect(sizes == [3000, 3000, 3000, 1000])
    }

    @Test func theTimeInTheFolderCountsAsAge() throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        try bench.keep(body)
        let age = bench.folder(age: 50).take(bench.key, limit: 10_000)?.head.response.headerFields[.age]
        #expect(["50", "51"].contains(age))
    }

    @Test func aBodyThatIsTooOldOrTooLargeIsRemoved() throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        for (folder, limit) in [(bench.folder(age: 200), 10_000), (bench.folder(age: -100_000), 10_000), (bench.folder(), 9_999)]
        {
            try bench.keep(body)
            #expect(folder.take(bench.key, limit: limit) == nil)
            #expect(bench.names == [])
        }
    }

    @Test func aDamagedFileIsAMissAndIsRemoved() throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        try bench.keep(Data("a small image".utf8))
        let whole = try Data(contentsOf: bench.name())
        var random = SeededGenerator(seed: 5)
        for at in whole.indices {
            var damaged = whole
            damaged[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try bench.put(damaged)
            #expect(bench.folder().take(bench.key, limit: 10_000) == nil && bench.names == [], "byte \(at)")
        }
        for count in stride(from: 0, to: whole.count, by: 5) {
            try bench.put(whole.prefix(count))
            #expect(bench.folder().take(bench.key, limit: 10_000) == nil, "\(count) bytes")
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            try bench.put(Data(noise) + whole.suffix(12))
            #expect(bench.folder().take(bench.key, limit: 10_000) == nil)
        }
        try bench.put(whole)
        #expect(bench.folder().take(bench.key, limit: 10_000) != nil)
    }

    @Test func theFileOfAnotherRequestIsAMiss() throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        let other = String(repeating: "ab", count: 32)
        try bench.keep(body)
        try FileManager.default.moveItem(at: bench.name(), to: bench.name(other))
        #expect(bench.folder().take(other, limit: 10_000) == nil && bench.names == [])
    }

    @Test func symbolicLinksAreReplacedAndNotFollowed() throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        try bench.keep(body)
        let secret = bench.root.appending(path: "secret")
        try FileManager.default.moveItem(at: bench.name(), to: secret)
        try FileManager.default.createSymbolicLink(at: bench.name(), withDestinationURL: secret)
        #expect(bench.folder().take(bench.key, limit: 10_000) == nil && bench.names == [])
        // When a body is stored, a link is replaced, and its target is not changed.
        let before = try Data(contentsOf: secret)
        try FileManager.default.createSymbolicLink(at: bench.name(), withDestinationURL: secret)
        #expect(try bench.keep(Data([1])))
        #expect(try Data(contentsOf: secret) == before)
        #expect(bench.folder().take(bench.key, limit: 10_000)?.count == 1)
        // The folder itself must not be a link, either.
        try FileManager.default.removeItem(at: bench.place)
        let elsewhere = bench.root.appending(path: "elsewhere")
        try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: bench.place, withDestinationURL: elsewhere)
        #expect(try !bench.keep(body))
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == [])
    }

    @Test func foldersAndPipesWithNamesOfDownloadsAreIgnored() throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        try FileManager.default.createDirectory(at: bench.name(), withIntermediateDirectories: true)
        #expect(bench.folder().take(bench.key, limit: 1) == nil)
        #expect(try !bench.keep(body))
        bench.folder().clean()
        #expect(bench.names == ["\(bench.key).download"])
        try FileManager.default.removeItem(at: bench.name())
        #expect(unsafe mkfifo(bench.name().path, 0o600) == 0)
        #expect(DownloadedFile(path: bench.name().path) == nil)
        #expect(bench.folder().take(bench.key, limit: 1) == nil && bench.names == [])
    }

    @Test func theOldestFilesAreRemovedFirstAndOtherFilesStay() throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        let keys = (0..<4).map { String(repeating: "\($0)", count: 64) }
        for (number, key) in keys.enumerated() {
            try bench.keep(body, key: key)
            // Modification times in seconds do not order them.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: Double(number) - 10)], ofItemAtPath: bench.name(key).path)
        }
        let strangers = ["notes.txt", "\(bench.key)x.download"]
        for name in strangers { try body.write(to: bench.place.appending(path: name)) }
        bench.folder(maximumBytes: 25_000).clean()
        #expect(Set(bench.names) == Set(strangers + keys[2...].map { "\($0).download" }))
        bench.folder(age: 200).clean()
        #expect(Set(bench.names) == Set(strangers))
    }

    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"), "Needs a second disk."))
    func aFileIsCopiedToAFolderOnAnotherDisk() async throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        let place = URL(filePath: "/dev/shm/calotype-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        let folder = DownloadFolder(path: place.path, maximumBytes: 2_000_000, maximumAge: 100)
        let large = Data(repeating: 7, count: 1_000_000)
        #expect(try bench.keep(large, in: folder))
        let found = try #require(folder.take(bench.key, limit: 1_000_000))
        #expect(try await bytes(of: found.response(chunkBytes: 1 << 18, source: "")) == large)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
    }

    @Test func aBodyLargerThanTheFolderIsNotStored() throws {
        let bench = try DownloadBench()
        defer { bench.remove() }
        #expect(try !bench.keep(body, in: bench.folder(maximumBytes: 10_000)))
        #expect(bench.names == [])
    }
}
