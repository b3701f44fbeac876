internal import ImageCore

/// Reusable memory for the chunks of bodies: fresh pages from the system cost more than the bytes that are copied into them.
/// A chunk returns its memory when the last `Data` that shares it is gone, on any thread.
final class BodyBuffers: Sendable {
    /// The length of every buffer, in bytes, and so the longest chunk.
    static let length = 64 << 10
    /// Buffers beyond this number are freed when they are returned.
    private static let maximumReturned = 64

    private let returned = Lock<Returned>(Returned())
    /// The loop's own, taken from `returned` all at once, so that it rarely waits for its lock.
    nonisolated(unsafe) private var idle: [BodyBuffer] = []  // because only the loop's thread takes and closes

    private struct Returned {
        var buffers: [BodyBuffer] = []
        var isClosed = false
    }

    /// An empty buffer.
    func take() -> BodyBuffer {
        if let buffer = unsafe idle.popLast() { return buffer }
        returned.withLock { returned in unsafe swap(&returned.buffers, &idle) }
        return unsafe idle.popLast() ?? BodyBuffer(pool: self)
    }

    /// Frees all buffers; those that are returned later are freed then. Without it, buffers and their pool keep each other alive.
    func close() {
        unsafe idle = []
        returned.withLock { returned in returned = Returned(isClosed: true) }
    }

    fileprivate func putBack(_ buffer: BodyBuffer) {
        returned.withLock { returned in
            if !returned.isClosed, returned.buffers.count < Self.maximumReturned { returned.buffers.append(buffer) }
        }
    }
}

/// A chunk while it is being filled, and its memory from then on.
// because one owner at a time uses it: the loop, then the last `Data`
@safe final class BodyBuffer: BodyMemory, @unchecked Sendable {
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: BodyBuffers.length, alignment: 64)
    private(set) var count = 0
    private let pool: BodyBuffers

    fileprivate init(pool: BodyBuffers) { self.pool = pool }

    deinit { unsafe memory.deallocate() }

    var isFull: Bool { count == BodyBuffers.length }

    /// Copies as many bytes as there is room for. Returns the rest.
    func append(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let fitting = min(bytes.count, BodyBuffers.length - count)
        if let start = bytes.baseAddress { unsafe (memory + count).copyMemory(from: start, byteCount: fitting) }
        count += fitting
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[fitting...])
    }

    /// The chunk; nothing may be appended afterwards. A short one is copied, so that it does not keep the whole buffer.
    var chunk: BodyChunk {
        guard count < BodyBuffers.length / 2 else { return .memory(self) }
        defer { putBack() }
        return unsafe .data(Data(bytes: memory, count: count))
    }

    func makeData() -> Data {
        unsafe Data(bytesNoCopy: memory, count: count, deallocator: .custom { _, _ in self.putBack() })
    }

    private func putBack() {
        count = 0
        pool.putBack(self)
    }
}
