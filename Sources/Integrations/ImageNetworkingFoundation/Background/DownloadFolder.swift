internal import Foundation
internal import HTTPTypes
internal import ImageCore

internal import CalotypeSystem

/// The finished downloads that were not read yet, one file each, named by the key of its request.
///
/// A file is the body and then a record of its response, so that both get the name in one step:
///
/// ```
/// body, the record as JSON, u64 checksum of both (XXH64), u32 length of the record, "CALOBGD2"
/// ```
///
/// Other programs may write to the folder: only regular files with such names are opened, links are not followed,
/// incomplete files are removed, and files with other names are ignored. Nothing is kept in memory, so that each launch
/// finds the files of the others.
struct DownloadFolder: Sendable {
    private struct Record: Codable {
        var key: String
        var head: SessionTransfer.Head
        var bodyBytes: Int
    }

    let path: String
    let maximumBytes: Int
    let maximumAge: Double
    /// Seconds since 1970.
    var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

    private static let magic = Data("CALOBGD2".utf8)
    private static let suffix = ".download"
    /// The longest record, in bytes: those of responses are far shorter.
    private static let maximumRecordBytes = 1 << 20
    private static let chunkBytes = 1 << 18

    // MARK: Keeping

    /// Moves a file that was downloaded into the folder, and makes room for it.
    ///
    /// - Returns: whether it is there now. If not, the file is where it was, perhaps longer than it was.
    @discardableResult
    func keep(_ file: DownloadedFile, count: Int, at location: String, _ head: SessionTransfer.Head, key: String) -> Bool {
        guard count <= maximumBytes else { return false }
        let record = Record(key: key, head: head, bodyBytes: count)
        guard var tail = try? JSONEncoder().encode(record), tail.count <= Self.maximumRecordBytes,
            let checksum = Self.checksum(of: file, count: count, then: tail)
        else { return false }
        let length = tail.count
        tail.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt64($0))) })
        tail.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) })
        tail.append(Self.magic)
        guard tail.count <= maximumBytes - count, file.write(tail, at: count) else { return false }
        let isMoved = inFolder(making: true) { folder in
            _ = unsafe unlinkat(folder, key + Self.suffix, 0)
            // On another disk this copies. Until the copy is complete it does not end with the record.
            return (try? FileManager.default.moveItem(atPath: location, toPath: "\(path)/\(key)\(Self.suffix)")) != nil
        }
        if isMoved == true { clean() }
        return isMoved == true
    }

    // MARK: Taking

    /// The finished download of a request, if there is one; it is removed when it was read.
    ///
    /// - Parameter limit: the most bytes of a body; a larger one is removed.
    func take(_ key: String, limit: Int) -> FinishedDownload? {
        let name = key + Self.suffix
        let found = inFolder { folder -> FinishedDownload? in
            guard let file = DownloadedFile(path: name, in: folder) else {
                // A link, or something else that is not a regular file.
                if errno != ENOENT { _ = unsafe unlinkat(folder, name, 0) }
                return nil
            }
            guard let record = record(of: file, key), record.bodyBytes <= limit else {
                _ = unsafe unlinkat(folder, name, 0)
                return nil
            }
            return FinishedDownload(file, count: record.bodyBytes, record.head) { remove(key) }
        }
        return found ?? nil
    }

    func remove(_ key: String) { _ = inFolder { unsafe unlinkat($0, key + Self.suffix, 0) } }

    private func record(of file: DownloadedFile, _ key: String) -> Record? {
        let (size, changed) = file.status
        let age = now() - changed
        let ending = 12 + Self.magic.count
        guard age <= maximumAge, age > -86_400, size >= ending, size <= maximumBytes,
            let end = file.read(ending, at: size - ending), end.suffix(Self.magic.count) == Self.magic
        else { return nil }
        let checksum = end.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        let length = end.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= min(Self.maximumRecordBytes, size - ending), let bytes = file.read(length, at: size - ending - length),
            var record = try? JSONDecoder().decode(Record.self, from: bytes), record.key == key,
            ["http", "https"].contains(record.head.url.scheme?.lowercased()),
            record.bodyBytes == size - ending - length, record.head.response.status.kind == .successful,
            Self.checksum(of: file, count: record.bodyBytes, then: bytes) == checksum
        else { return nil }
        // The response has aged here (RFC 9111, section 5.1).
        let fields = record.head.response.headerFields
        if age >= 1 {
            record.head.response.headerFields[.age] = "\(Int(age) + (fields[.age].flatMap { Int($0) } ?? 0))"
        }
        return record
    }

    /// The checksum of the record, seeded with that of the last chunk of the body, and so on. Detects damage, not
    /// forgery.
    private static func checksum(of file: DownloadedFile, count: Int, then record: Data) -> UInt64? {
        var checksum: UInt64 = 0
        for start in stride(from: 0, to: count, by: chunkBytes) {
            guard let data = file.read(min(chunkBytes, count - start), at: start) else { return nil }
            checksum = unsafe data.withUnsafeBytes { unsafe Checksum.of($0, seed: checksum) }
        }
        return unsafe record.withUnsafeBytes { unsafe Checksum.of($0, seed: checksum) }
    }

    // MARK: Limits

    /// Removes files that are too old, and then the oldest ones until the rest is within the limit of bytes.
    func clean() {
        _ = inFolder { folder in
            var kept: [(name: String, size: Int, changed: Double)] = []
            for name in names {
                var info = stat()
                guard unsafe fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
                let age = now() - info.changed
                if info.st_mode & S_IFMT == S_IFREG, age <= maximumAge, age > -86_400 {
                    kept.append((name, Int(info.st_size), info.changed))
                } else {
                    _ = unsafe unlinkat(folder, name, 0)
                }
            }
            var room = maximumBytes
            for file in kept.sorted(by: { $0.changed > $1.changed }) {
                // The first file without room, and all older ones, are removed.
                room = file.size <= room ? room - file.size : -1
                if room < 0 { _ = unsafe unlinkat(folder, file.name, 0) }
            }
        }
    }

    /// The names of downloads in the folder.
    private var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return all.filter { $0.hasSuffix(Self.suffix) && BackgroundRule.isKey($0.dropLast(Self.suffix.count)) }
    }

    /// Runs `body` with the open folder; `nil` when it cannot be opened. It is opened each time, since the system may
    /// remove it.
    private func inFolder<R>(making: Bool = false, _ body: (Int32) -> R) -> R? {
        if making {
            // When this fails, the folder exists already, or opening it fails too.
            try? FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { _ = close(folder) }
        return body(folder)
    }
}
