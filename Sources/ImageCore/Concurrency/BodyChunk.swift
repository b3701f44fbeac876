/// A part of a body on its way to the task that reads it.
package enum BodyChunk: Sendable {
    /// Bytes as `Data`.
    case data(Data)
    /// Memory of the producer, from which the reading task creates its `Data`. Creating and releasing an object on the same
    /// thread is cheaper.
    case memory(any BodyMemory)

    /// The number of bytes.
    package var count: Int {
        switch self {
        case .data(let data): data.count
        case .memory(let memory): memory.count
        }
    }

    /// The bytes. Read this once.
    package var data: Data {
        switch self {
        case .data(let data): data
        case .memory(let memory): memory.makeData()
        }
    }
}

/// The memory of a chunk until it is read.
package protocol BodyMemory: AnyObject, Sendable {
    /// The number of bytes.
    var count: Int { get }
    /// Returns the bytes; the result retains the memory.
    func makeData() -> Data
}
