internal import ImageCore

/// Memory for the chunks of bodies, used again and again: fresh pages from the system cost more than the bytes that are
/// copied into them. A chunk gives its memory back when the last `Data` that shares it is gone, on whatever thread.
final class BodyBuffers: Sendable {
    /// The length of every buffer, in bytes, and so the longest chunk.
    static let length = 64 << 10
    /// More than this many idle buffers go back to the system.
    private static let mostIdle = 64

    @safe fileprivate struct Memory: @unchecked Sendable {  // because whoever holds one is its only owner
        let start: UnsafeMutableRawPointer
    }

    private let idle = Lock<[Memory]>([])

    deinit {
        for memory in idle.withLock({ $0 }) { unsafe memory.start.deallocate() }
    }

    /// An empty buffer.
    func take() -> BodyBuffer {
        if let memory = idle.withLock({ $0.popLast() }) { return BodyBuffer(memory, from: self) }
        return BodyBuffer(unsafe Memory(start: .allocate(byteCount: Self.length, alignment: 64)), from: self)
    }

    fileprivate func giveBack(_ memory: Memory) {
        let isKept = idle.withLock { idle in
            guard idle.count < Self.mostIdle else { return false }
            idle.append(memory)
            return true
        }
        if !isKept { unsafe memory.start.deallocate() }
    }
}

/// A chunk while it is being filled. For one thread.
final class BodyBuffer {
    private var memory: BodyBuffers.Memory?
    private let buffers: BodyBuffers
    private(set) var count = 0

    fileprivate init(_ memory: BodyBuffers.Memory, from buffers: BodyBuffers) {
        self.memory = memory
        self.buffers = buffers
    }

    deinit {
        if let memory { buffers.giveBack(memory) }
    }

    /// Copies in what there is room for, and returns how many bytes that was.
    func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard let memory, let start = bytes.baseAddress else { return 0 }
        let taken = min(BodyBuffers.length - count, bytes.count)
        unsafe (memory.start + count).copyMemory(from: start, byteCount: taken)
        count += taken
        return taken
    }

    /// The chunk. A short one gets memory of its own length, so that whoever keeps it keeps no more than that.
    func sealed() -> Data {
        guard let memory else { return Data() }
        guard count >= BodyBuffers.length / 2 else { return unsafe Data(bytes: memory.start, count: count) }
        self.memory = nil
        let buffers = buffers
        return unsafe Data(
            bytesNoCopy: memory.start, count: count, deallocator: .custom { _, _ in buffers.giveBack(memory) })
    }
}
