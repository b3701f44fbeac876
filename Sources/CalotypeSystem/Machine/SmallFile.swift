/// Reads the text files of `/proc` and `/sys`, which processes that start meanwhile do not inherit.
package enum SmallFile {
    /// The whole text, at most 1 MB of it; `nil` if the file cannot be read.
    package static func text(at path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        var (text, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while text.count < 1 << 20 {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            if count < 0 { return nil }
            if count == 0 { break }
            text += bytes.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
