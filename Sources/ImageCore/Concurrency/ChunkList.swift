/// A part of a body on its way to the task that reads it.
package enum BodyChunk: Sendable {
    case data(Data)
    /// Memory of the producer's that becomes data in the task: what is made on one thread and let go of on another costs both.
    case memory(any BodyMemory)

    package var count: Int {
        switch self {
        case .data(let data): data.count
        case .memory(let memory): memory.count
        }
    }

    /// To be asked for once.
    package var data: Data {
        switch self {
        case .data(let data): data
        case .memory(let memory): memory.makeData()
        }
    }
}

/// What holds the bytes of a chunk until it is read.
package protocol BodyMemory: AnyObject, Sendable {
    /// In bytes.
    var count: Int { get }
    /// The bytes, which keep the memory from then on.
    func makeData() -> Data
}

/// Chunks of a body that wait to be read, the oldest first. Most bodies are one chunk, for which an array would be an
/// allocation.
package struct ChunkList: Sendable {
    private var first: BodyChunk?
    private var rest: [BodyChunk] = []
    package private(set) var count = 0
    /// The length of all of them together, in bytes.
    package private(set) var byteCount = 0

    package init() {}

    package init(_ chunk: Data) { append(.data(chunk)) }

    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ chunk: consuming BodyChunk) {
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
    package mutating func removeFirst() -> BodyChunk? {
        guard let chunk = first.take() else { return nil }
        count -= 1
        byteCount -= chunk.count
        if !rest.isEmpty { first = rest.removeFirst() }
        return chunk
    }
}
