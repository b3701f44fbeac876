import CZlib
import Foundation

/// An archive that a test makes. Each field can be wrong.
struct ZipFile {
    struct Entry {
        var name: [UInt8]
        /// What the data is when it is inflated.
        var contents: Data
        /// The data; deflated by default.
        var data: Data
        var method = 8

        init(_ name: String, _ contents: Data, isStored: Bool = false) {
            (self.name, self.contents) = (Array(name.utf8), contents)
            (data, method) = isStored ? (contents, 0) : (deflated(contents), 8)
        }
    }

    /// The bytes of the file.
    private(set) var bytes = Data()
    /// Where the directory begins.
    private(set) var directory = 0
    /// Where the end record begins.
    private(set) var end = 0

    init(_ entries: [Entry], comment: String = "") {
        var headers: [UInt8] = []
        for entry in entries {
            let checksum = Int(crc32(0, Array(entry.contents), UInt32(entry.contents.count)))
            let common = record(
                (0, 2), (entry.method, 2), (0, 4), (checksum, 4), (entry.data.count, 4), (entry.contents.count, 4),
                (entry.name.count, 2))
            headers += record((0x0201_4B50, 4), (20, 2), (20, 2)) + common
            headers += record((3, 2), (0, 2), (0, 8), (bytes.count, 4)) + entry.name + [1, 2, 3]
            bytes += record((0x0403_4B50, 4), (20, 2)) + common
            bytes += record((2, 2)) + entry.name + [1, 2]
            bytes += entry.data
        }
        directory = bytes.count
        bytes += headers
        end = bytes.count
        bytes += record(
            (0x0605_4B50, 4), (0, 4), (entries.count, 2), (entries.count, 2), (headers.count, 4), (directory, 4),
            (comment.utf8.count, 2))
        bytes += Array(comment.utf8)
    }

    /// Writes a number over a part of the file.
    mutating func write(_ value: Int, _ count: Int, at offset: Int) {
        bytes.replaceSubrange(offset..<offset + count, with: record((value, count)))
    }
}

/// Numbers of so many bytes, their least significant byte first.
private func record(_ fields: (value: Int, count: Int)...) -> [UInt8] {
    fields.flatMap { field in (0..<field.count).map { UInt8(truncatingIfNeeded: field.value >> ($0 * 8)) } }
}

/// Raw deflated data: what zlib makes, without its header and its checksum.
func deflated(_ data: Data) -> Data {
    var length = compressBound(UInt(data.count))
    var output = [UInt8](repeating: 0, count: Int(length))
    compress2(&output, &length, Array(data), UInt(data.count), 9)
    return Data(output[2..<Int(length) - 4])
}
