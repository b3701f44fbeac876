import Foundation
import ImageCore
import ImageNetworking

/// Loads the entries of ZIP archives: `zip:///albums/2024.zip!/cats/tom.png` is the entry `cats/tom.png` of the file
/// `/albums/2024.zip`.
///
/// ```swift
/// let loader = ImageLoader.standard { $0.schemes["zip"] = ArchiveLoader() }
/// let image = try await loader.image(for: URL(string: "zip:///albums/2024.zip!/cats/tom.png")!)
/// ```
///
/// The first `!/` ends the path of the archive; an exclamation mark before it is `%21`. The loader reads any archive
/// that the process may read, as `file:` URLs do, and never uses the name of an entry as a path.
///
/// The archive is on this machine, so no cache stores its bytes. Its version is a part of the keys of its images: after
/// the archive has changed, all of them are loaded again.
public final class ArchiveLoader: DataLoading {
    private let threads = ThreadPool(size: 4)
    /// At most eight open archives, with their versions.
    private let archives = Lock<[URL: (version: String?, archive: Archive)]>([:])

    /// Creates a loader without open archives.
    public init() {}

    /// Finds the entry. The stream reads and inflates a chunk of it when its reader asks for one.
    ///
    /// - Throws: ``ImageCore/ImageError``: `unsupportedScheme`, `invalidRequest` for a URL of another form,
    ///   `fileUnreadable` for the archive, `notFound` for the entry, `unsupportedFeature`, `tooLarge`, `corrupt`; or
    ///   `CancellationError`.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        let (url, name) = try Self.parts(of: request.url)
        let (archive, entry) = try await threads.run { [self] in
            let archive = try openArchive(url)
            return (archive, try archive.entry(name, limit: request.maximumResponseBytes ?? ResponseLimit.standard))
        }
        let reader = Lock(try EntryReader(entry, of: archive))
        let head = HTTPResponse(status: .ok, headerFields: [.contentLength: String(entry.byteCount)])
        let body = ByteStream { [threads] in
            // A part of the file may inflate to nothing. Each is a job of its own, so that a cancelled body stops.
            var chunk: Data?
            repeat { chunk = try await threads.run { try reader.withLock { try $0.next() } } } while chunk?.isEmpty == true
            return chunk
        }
        return DataResponse(url: request.url, head: head, body: body, tier: .local)
    }

    /// What tells the versions of the archive apart.
    public func version(of url: URL) -> String? { (try? Self.parts(of: url)).flatMap { FileLoader().version(of: $0.archive) } }

    /// The file of the archive and the name of the entry. The name is compared by its bytes: texts that are equal to
    /// Swift, such as two forms of an accent, are two names.
    private static func parts(of url: URL) throws -> (archive: URL, entry: [UInt8]) {
        let (source, path) = (ImageSource.redacted(url), url.path(percentEncoded: true))
        guard url.scheme?.lowercased() == "zip" else { throw ImageError(.unsupportedScheme, message: "\(source) is no zip URL.") }
        // A query or a fragment comes of a name whose `?` or `#` is not encoded.
        guard url.host() ?? "" == "", url.query() == nil, url.fragment() == nil, path.hasPrefix("/"), !path.contains("%00"),
            let mark = path.firstRange(of: "!/"), let archive = URL(string: "file://" + path[..<mark.lowerBound]),
            let entry = String(path[mark.upperBound...]).removingPercentEncoding
        else {
            throw ImageError(.invalidRequest, message: "\(source) is not like zip:///path/album.zip!/name; ? is %3F, # is %23.")
        }
        return (archive, Array(entry.utf8))
    }

    /// The archive, which is opened when it is first needed and when it has changed.
    private func openArchive(_ url: URL) throws -> Archive {
        // Read before the file is opened: if it is replaced in between, the next load finds another version.
        let version = FileLoader().version(of: url)
        if let kept = archives.withLock({ $0[url] }), kept.version == version { return kept.archive }
        // Two loads may open it at the same time; one result is kept.
        let archive = try Archive(url)
        archives.withLock { kept in
            if kept.count >= 8 { kept = [:] }
            kept[url] = (version, archive)
        }
        return archive
    }
}
