internal import Foundation
internal import HTTPTypes
internal import ImageCore

internal import CalotypeSystem

/// The finished downloads that nobody has read yet, one file each, named by the key of its request.
///
/// A file is the body as it came, then what tells of it, so that both appear under the name in one step:
///
/// ```
/// body, the record as JSON, u64 checksum of both (XXH64), u32 length of the record, "CALOBGD1"
/// ```
///
/// What is in the folder may be anyone's: only regular files of such names are opened, links are not followed, what is not
/// whole is removed, and what has another name is left alone. Nothing is kept in memory, so that a launch finds what another left.
struct DownloadFolder: Sendable {
    private struct Record: Codable {
        var key: String
        var url: URL
        var status: Int
        var fields: [[String]]
        var bodyBytes: Int
    }

    let path: String
    let maximumBytes: Int
    let maximumAge: Double
    /// Seconds since 1970.
    var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

    private static let magic = Data("CALOBGD1".utf8)
    private static let suffix = ".download"
    /// Of a file that is being copied.
    private static let partSuffix = ".part"
    /// Bytes of a record: heads are far smaller.
    private static let largestRecord = 1 << 20
    private static let mostNames = 100_000
    private static let piece = 1 << 18

    // MARK: Keeping

    /// Moves a file that was downloaded into the folder, and makes room for it.
    ///
    /// - Returns: whether it is there now. Where it is not, the file is where it was, perhaps longer than it was.
    @discardableResult
    func keep(_ file: DownloadedFile, count: Int, at location: String, _ head: SessionTransfer.Head, key: String) -> Bool {
        guard count <= maximumBytes else { return false }
        let record = Record(
            key: key, url: head.url, status: head.response.status.code,
            fields: head.response.headerFields.map { [$0.name.rawName, $0.value] }, bodyBytes: count)
        guard var tail = try? JSONEncoder().encode(record), tail.count <= Self.largestRecord,
            let checksum = Self.checksum(of: file, count: count, then: tail)
        else { return false }
        let length = tail.count
        tail.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt64($0))) })
        tail.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) })
        tail.append(Self.magic)
        guard tail.count <= maximumBytes - count, file.write(tail, at: count), file.sync() else { return false }
        let isMoved = inFolder(making: true) { folder in
            let name = key + Self.suffix
            if unsafe renameat(AT_FDCWD, location, folder, name) == 0 { return true }
            // The folder is on another disk.
            let part = key + Self.partSuffix
            _ = unsafe unlinkat(folder, part, 0)
            guard let copy = DownloadedFile(part, in: folder, isNew: true), Self.copy(file, count + tail.count, to: copy),
                copy.sync(), unsafe renameat(folder, part, folder, name) == 0
            else {
                _ = unsafe unlinkat(folder, part, 0)
                return false
            }
            return true
        }
        if isMoved == true { clean() }
        return isMoved == true
    }

    private static func copy(_ file: DownloadedFile, _ count: Int, to copy: DownloadedFile) -> Bool {
        for start in stride(from: 0, to: count, by: piece) {
            guard let bytes = file.read(min(piece, count - start), at: start), copy.write(bytes, at: start) else { return false }
        }
        return true
    }

    // MARK: Taking

    /// The finished download of a request, if there is one; it is removed when it was read.
    ///
    /// - Parameter limit: the most bytes of a body; a larger one is removed.
    func take(_ key: String, limit: Int) -> FinishedDownload? {
        let name = key + Self.suffix
        let found = inFolder { folder -> FinishedDownload? in
            guard let file = DownloadedFile(name, in: folder) else {
                // A link, or something else that is no file of ours.
                if errno != ENOENT { _ = unsafe unlinkat(folder, name, 0) }
                return nil
            }
            guard let (record, head) = record(of: file, key), record.bodyBytes <= limit else {
                _ = unsafe unlinkat(folder, name, 0)
                return nil
            }
            return FinishedDownload(file, count: record.bodyBytes, head) { remove(key) }
        }
        return found ?? nil
    }

    func remove(_ key: String) { _ = inFolder { unsafe unlinkat($0, key + Self.suffix, 0) } }

    private func record(of file: DownloadedFile, _ key: String) -> (Record, SessionTransfer.Head)? {
        let (size, changed) = file.status
        let age = now() - changed
        let ending = 12 + Self.magic.count
        guard age <= maximumAge, age > -86_400, size >= ending, size <= maximumBytes,
            let end = file.read(ending, at: size - ending), end.suffix(Self.magic.count) == Self.magic
        else { return nil }
        let checksum = end.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        let length = end.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= min(Self.largestRecord, size - ending), let bytes = file.read(length, at: size - ending - length),
            let record = try? JSONDecoder().decode(Record.self, from: bytes), record.key == key,
            ["http", "https"].contains(record.url.scheme?.lowercased()),
            record.bodyBytes == size - ending - length, (200...299).contains(record.status),
            Self.checksum(of: file, count: record.bodyBytes, then: bytes) == checksum
        else { return nil }
        var response = HTTPResponse(status: HTTPResponse.Status(code: record.status))
        for field in record.fields {
            guard field.count == 2, let name = HTTPField.Name(field[0]) else { return nil }
            response.headerFields.append(HTTPField(name: name, value: field[1]))
        }
        // What waited here is older by that (RFC 9111, section 5.1).
        if age >= 1 { response.headerFields[.age] = "\(Int(age) + (response.headerFields[.age].flatMap { Int($0) } ?? 0))" }
        return (record, SessionTransfer.Head(url: record.url, response: response))
    }

    /// Finds damage, and is not meant against forgery.
    private static func checksum(of file: DownloadedFile, count: Int, then record: Data) -> UInt64? {
        var checksum = Checksum()
        for start in stride(from: 0, to: count, by: piece) {
            guard let data = file.read(min(piece, count - start), at: start) else { return nil }
            unsafe data.withUnsafeBytes { unsafe checksum.append($0) }
        }
        unsafe record.withUnsafeBytes { unsafe checksum.append($0) }
        return checksum.value
    }

    // MARK: Bounds

    /// Removes what is too old, then the oldest of what is too much.
    func clean() {
        _ = inFolder { folder in
            var kept: [(name: String, size: Int, changed: Double)] = []
            for name in Self.names(in: folder) {
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
                // From the first that has no room on.
                room = file.size <= room ? room - file.size : -1
                if room < 0 { _ = unsafe unlinkat(folder, file.name, 0) }
            }
        }
    }

    /// The names that may be ours.
    private static func names(in folder: Int32) -> [String] {
        // A directory stream owns its descriptor and its place: it gets one of its own.
        let descriptor = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let stream = unsafe fdopendir(descriptor) else {
            if descriptor >= 0 { _ = close(descriptor) }
            return []
        }
        defer { _ = unsafe closedir(stream) }
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        var found: [String] = []
        for _ in 0..<mostNames {
            guard let item = unsafe readdir(stream) else { break }
            let start = unsafe (UnsafeRawPointer(item) + nameOffset).assumingMemoryBound(to: CChar.self)
            let name = unsafe String(cString: start)
            guard let suffix = [suffix, partSuffix].first(where: { name.hasSuffix($0) }),
                BackgroundRule.isKey(name.dropLast(suffix.count))
            else { continue }
            found.append(name)
        }
        return found
    }

    /// Calls with the folder open; `nil` where it cannot be. It is opened each time, since the system may remove it.
    private func inFolder<R>(making: Bool = false, _ body: (Int32) -> R) -> R? {
        if making {
            // Fails where it is there already, or cannot be made: then it cannot be opened either.
            try? FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { _ = close(folder) }
        return body(folder)
    }
}
