import CalotypeTesting
import Foundation
import Testing

/// An archive with entries of all kinds: stored and deflated, in one chunk and in many, with names that need encoding.
struct SampleAlbum {
    let samples: [LoadingSample]
    let missing: [URL]
    private let folder = TemporaryFolder()

    init() throws {
        var random = SeededGenerator(seed: 1)
        let noise = Data((0..<700_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        let words = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 / 3 * $0 >> 11) })
        let entries = [
            ZipFile.Entry("small", Data([1, 2, 3]), isStored: true), ZipFile.Entry("a/stored.png", noise, isStored: true),
            ZipFile.Entry("noise", noise), ZipFile.Entry("a/50% of #1?!/\u{fc} b.png", words),
        ]
        let archive = try folder.write(ZipFile(entries, comment: "PK\u{5}\u{6}").bytes, to: "50%! album.zip")
        samples = try entries.map { entry in
            LoadingSample(try entryURL(String(decoding: entry.name, as: UTF8.self), in: archive), data: entry.contents)
        }
        missing = try ["missing", "a", ""].map { try entryURL($0, in: archive) }
    }
}

/// The URL of an entry.
func entryURL(_ entry: String, in archive: URL) throws -> URL {
    let path = archive.path(percentEncoded: true).replacing("!", with: "%21")
    let name = try #require(entry.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed))
    return try #require(URL(string: "zip://\(path)!/\(name)"))
}

/// A folder that is removed with the test.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "ArchiveLayer-\(UUID().uuidString)")

    init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file in place of the one with that name, as programs that save a document do.
    @discardableResult
    func write(_ data: Data, to name: String) throws -> URL {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file, options: .atomic)
        return file
    }
}
