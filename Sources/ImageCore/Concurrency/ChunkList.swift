/// Chunks of a body that wait to be read, the oldest first. Most bodies are one chunk, for which an array would be an
/// allocation.
package struct ChunkList: Sendable {
    private var first: Data?
    private var rest: [Data] = []
    package private(set) var count = 0
    /// The length of all of them together, in bytes.
    package private(set) var byteCount = 0

    package init() {}

    package init(_ chunk: Data) { append(chunk) }

    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ chunk: consuming Data) {
        count += 1
        byteCount += chunk.count
        if count == 1 { first = chunk } else { rest.append(chunk) }
    }

    /// Appends all of `others`, which is empty afterwards.
    package mutating func append(movingFrom others: inout ChunkList) {
        if isEmpty {
            swap(&self, &others)
        } else {
            while let chunk = others.removeFirst() { append(chunk) }
        }
    }

    /// The oldest one; `nil` when there is none.
    package mutating func removeFirst() -> Data? {
        guard let chunk = first.take() else { return nil }
        count -= 1
        byteCount -= chunk.count
        if !rest.isEmpty { first = rest.removeFirst() }
        return chunk
    }
}
