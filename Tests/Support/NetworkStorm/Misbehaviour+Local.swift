internal import Foundation
internal import ImageCore

// Images in URLs and files, which need no server.
extension Misbehaviour {
    static let local = [
        Misbehaviour("data-url", "Has the image in a URL, as base64.", [.image]) { _, number in
            try data(number) { "data:\($0.type);base64,\(base64($1))" }
        },
        Misbehaviour("data-url-blanks", "Has blanks in the media type and in the base64 of a URL.", [.image]) { _, number in
            try data(number) { "DATA: \($0.type) ; Base64 ,%20\(base64($1).prefix(5))%0A\(base64($1).dropFirst(5))" }
        },
        Misbehaviour("data-url-percent", "Has the image in a URL, percent-encoded.", [.image]) { _, number in
            try data(number) { "data:,\($1.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined())" }
        },
        Misbehaviour("data-url-half", "Has half of the image in a URL.", [.truncated, .corrupt]) { _, number in
            try data(number) { "data:\($0.type);base64,\(base64(Array($1[..<($1.count / 2)])))" }
        },
        Misbehaviour("data-url-invalid", "Has base64 with other characters in a URL.", [.request]) { _, number in
            try data(number) { "data:\($0.type);base64,\(base64($1))*" }
        },
        Misbehaviour("data-url-page", "Has a page of HTML in a URL.", [.unknownFormat]) { _, number in
            try data(number) { _, _ in "data:text/html,%3Ctitle%3ELog%20in%3C/title%3E" }
        },
        Misbehaviour("data-url-empty", "Has no data in a URL.", [.empty]) { _, number in
            try data(number) { image, _ in "data:\(image.type);base64," }
        },
        Misbehaviour("file-replaced", "Replaces a local file by other images, between and during loads.", [.image]) {
            try $0.replacedFile($1, inPlace: false)
        },
        Misbehaviour(
            "file-rewritten", "Writes other images into a local file, between and during loads.",
            [.image, .corrupt, .truncated, .empty, .unreadable, .unknownFormat]
        ) {
            // Two halves of JPEG files may be an image; those of PNG files have checksums.
            try $0.replacedFile($1 & ~1, inPlace: true)
        },
        Misbehaviour("file-missing", "Names a local file that does not exist.", [.unreadable]) { sources, number in
            LoadSource(url: sources.directory.appending(path: "missing/\(number).png")) { [] }
        },
        Misbehaviour("file-directory", "Names a directory.", [.unreadable]) { sources, _ in
            LoadSource(url: sources.directory) { [] }
        },
    ]

    /// The source of an image of this name, in a URL that `text` makes of the image and its file.
    private static func data(_ number: Int, _ text: (StormImage, [UInt8]) -> String) throws -> LoadSource {
        let image = StormImage(path: "/data/\(number % StormRun.images).\(number % 2 == 0 ? "png" : "jpg")")
        guard let url = URL(lenient: text(image, try image.file())) else {
            throw ImageError(.invalidRequest, message: "The data of \(image.path) make no URL.")
        }
        return LoadSource(url: url) { [image] }
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

/// What a load requests.
struct LoadSource {
    let url: URL
    /// The images that may be the result of the load that has just ended.
    let images: @Sendable () -> [StormImage]
}

/// The local files of the storm, and their versions.
final class LocalSources: Sendable {
    let directory: URL
    private let uses = Lock<[URL: Int]>([:])

    init(directory: URL) { self.directory = directory }

    /// A file that gets another image at every third use. A load shows an image that the file had since the load began.
    func replacedFile(_ number: Int, inPlace: Bool) throws -> LoadSource {
        let url = directory.appending(path: "\(inPlace ? "rewritten" : "replaced")-\(number).\(number % 2 == 0 ? "png" : "jpg")")
        let first = try uses.withLock { uses in
            let use = uses[url] ?? 0
            uses[url] = use + 1
            guard use % 3 == 0 else { return use / 3 }
            try write(try Self.image(url, use / 3).file(), to: url, inPlace: inPlace)
            return use / 3
        }
        return LoadSource(url: url) { [self] in
            let last = (uses.withLock { $0[url] ?? 0 } - 1) / 3
            return (first...max(first, last)).map { Self.image(url, $0) }
        }
    }

    private static func image(_ url: URL, _ version: Int) -> StormImage {
        StormImage(path: "/\(version)/\(url.lastPathComponent)")
    }

    private func write(_ bytes: [UInt8], to url: URL, inPlace: Bool) throws {
        guard inPlace, let file = try? FileHandle(forWritingTo: url) else {
            return try Data(bytes).write(to: url, options: .atomic)
        }
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes.prefix(bytes.count / 2))
        try file.write(contentsOf: bytes.dropFirst(bytes.count / 2))
        try file.close()
    }
}
