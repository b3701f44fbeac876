internal import ImageCore

internal import CalotypeSystem

/// A file that holds one JSON array and grows at its end: each write replaces the closing bracket by further elements
/// and a new bracket, so that the file is whole after every write.
struct TraceFile: Sendable {
    private static let closing = Array("\n]\n".utf8)

    private let path: String
    private let descriptor: Int32
    private let maximumBytes: Int
    /// Where the closing bracket begins.
    private var end = 0
    private var isEmpty = true
    private var pending: [UInt8] = []

    /// Makes the file, or empties it.
    init(path: String, maximumBytes: Int) throws(ImageError) {
        self.path = path
        self.maximumBytes = maximumBytes
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.unwritable(path, errno) }
        pending = Array("[".utf8)
        try flush()
    }

    /// Closes the file. No other method may be called afterwards.
    func endWriting() { close(descriptor) }

    /// Bytes that are not written yet.
    var gathered: Int { pending.count }

    /// Adds an element to those that the next ``flush()`` writes. Returns `false` when the file would become too large.
    mutating func append(_ element: Data) -> Bool {
        let separator = isEmpty ? "\n" : ",\n"
        guard end + pending.count + separator.utf8.count + element.count + Self.closing.count <= maximumBytes else {
            return false
        }
        pending.append(contentsOf: separator.utf8)
        pending.append(contentsOf: element)
        isEmpty = false
        return true
    }

    /// Writes the elements added since the last call.
    mutating func flush() throws(ImageError) {
        guard !pending.isEmpty else { return }
        let bytes = pending + Self.closing
        let error = unsafe bytes.withUnsafeBytes { bytes in
            unsafe WholeWrite.run(bytes) { rest, written in
                unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(end + written))
            }
        }
        if let error { throw Self.unwritable(path, error) }
        end += pending.count
        pending.removeAll(keepingCapacity: true)
    }

    private static func unwritable(_ path: String, _ code: Int32) -> ImageError {
        let reason = unsafe String(cString: strerror(code))
        return ImageError(
            .fileUnwritable, message: "The trace \(path) cannot be written: \(reason). Choose another path.", source: path)
    }
}
