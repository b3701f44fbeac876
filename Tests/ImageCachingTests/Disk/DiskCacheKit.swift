import HTTPTypes
import ImageCore
import Testing

import CalotypeSystem

@testable import ImageCaching

/// A temporary directory for one test, removed with the last reference.
final class Folder: Sendable {
    let url: URL

    init() throws {
        let name = "calotype-\(UInt64.random(in: .min ... .max))"
        url = FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        Self.sweepsAtExit
        Self.all.withLock { _ = $0.insert(url) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Removes the directory. Repeats it, since a writer may outlive its cache for a moment and create a file again.
    private static let all = Lock<Set<URL>>([])
    private static let sweepsAtExit: Void = {
        atexit { for url in Folder.all.withLock(\.self) { try? FileManager.default.removeItem(at: url) } }
    }()

    var path: String { url.path(percentEncoded: false) }
    /// The directory in which the cache keeps its folders.
    var home: URL { url.appending(path: "images-v2", directoryHint: .isDirectory) }

    func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []).sorted()
    }

    /// The folder of an entry.
    func folder(of key: DataKey) -> URL {
        home.appending(path: EntryName.folderName(EntryName(key).folder), directoryHint: .isDirectory)
    }

    /// The file of an entry.
    func file(of key: DataKey) -> URL { folder(of: key).appending(path: EntryName(key).fileName) }

    /// All files in the folders of the cache, by path.
    var files: [URL] {
        names(in: home).flatMap { folder in
            let url = home.appending(path: folder, directoryHint: .isDirectory)
            return names(in: url).map { url.appending(path: $0) }
        }
    }

    var temporaryFiles: [URL] { files.filter { $0.lastPathComponent.hasSuffix(".tmp") } }

    /// Bytes of all entries' files.
    var fileBytes: Int {
        files.reduce(0) { sum, file in
            var info = stat()
            return unsafe stat(file.path(percentEncoded: false), &info) == 0 ? sum + Int(info.st_size) : sum
        }
    }

    /// Sets the times of a file, in seconds since 1970.
    func setTimes(of file: URL, used: Int, written: Int) {
        let times = [timespec(tv_sec: used, tv_nsec: 0), timespec(tv_sec: written, tv_nsec: 0)]
        #expect(unsafe utimensat(AT_FDCWD, file.path(percentEncoded: false), times, AT_SYMLINK_NOFOLLOW) == 0)
    }

    func cache(
        _ limits: DiskCache.Limits = .init(), clock: ManualSeconds = ManualSeconds(), warnings: Warnings = Warnings(),
        files: any FileSystem = POSIXFiles()
    ) -> DiskCache {
        let configuration = DiskCache.Configuration(
            directory: url, limits: limits, now: { clock.now }, onWarning: { warnings.add($0) })
        return DiskCache(configuration, files: files)
    }
}

/// A clock that the test advances.
final class ManualSeconds: Sendable {
    private let seconds = Lock(1_700_000_000.0)

    var now: Double { seconds.withLock { $0 } }

    func advance(by interval: Double) { seconds.withLock { $0 += interval } }
}

/// The warnings of a cache.
final class Warnings: Sendable {
    private let list = Lock<[DiskCache.Warning]>([])

    func add(_ warning: DiskCache.Warning) { list.withLock { $0.append(warning) } }

    var kinds: [DiskCache.Warning.Kind] { list.withLock { $0.map(\.kind) } }
    var messages: [String] { list.withLock { $0.map(\.message) } }
}

func dataKey(_ name: some CustomStringConvertible, variant: String? = nil) -> DataKey {
    DataKey(resource: ResourceKey("https://example.org/\(name).jpg"), variant: variant)
}

/// Bytes that differ from those of any other tag at every position.
func content(_ tag: Int, count: Int = 1_000) -> Data {
    var state = UInt64(truncatingIfNeeded: tag) &* 0x9e37_79b9_7f4a_7c15 &+ 1
    return Data(
        (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        })
}

func entry(_ tag: Int, count: Int = 1_000, fields: HTTPFields = [.contentType: "image/jpeg"]) -> DataEntry {
    DataEntry(data: content(tag, count: count), head: HTTPResponse(status: .ok, headerFields: fields), storedAt: 1_000)
}
