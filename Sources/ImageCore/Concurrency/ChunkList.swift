/// A queue of the chunks of a body that are not yet read. Stores one chunk without an array, because most bodies have only one.
package struct ChunkList: Sendable {
    private var first: BodyChunk?
    private var rest: [BodyChunk] = []
    /// The number of chunks.
    package private(set) var count = 0
    /// The number of bytes of all chunks.
    package private(set) var byteCount = 0

    /// Creates an empty list.
    package init() {}

    /// Creates a list of one chunk.
    package init(_ chunk: Data) { append(.data(chunk)) }

    /// Whether there are no chunks.
    package var isEmpty: Bool { count == 0 }

    /// Appends a chunk.
    package mutating func append(_ chunk: consuming BodyChunk) {
        count += 1
        byteCount += chunk.count
        if count == 1 { first = chunk } else { rest.append(chunk) }
    }

    /// Appends all chunks of `others`, which is empty afterwards.
    package mutating func append(movingFrom others: inout ChunkList) {
        if isEmpty {
            swap(&self, &others)
        } else {
            while let chunk = others.removeFirst() { append(chunk) }
        }
    }

    /// Removes and returns the oldest chunk; `nil` if the list is empty.
    package mutating func removeFirst() -> BodyChunk? {
        guard let chunk = first.take() else { return nil }
        count -= 1
        byteCount -= chunk.count
        if !rest.isEmpty { first = rest.removeFirst() }
        return chunk
    }
}
