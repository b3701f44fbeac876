internal import ImageCore

/// Memory for the chunks of bodies, used again and again: fresh pages from the system cost more than the bytes that are
/// copied into them. A chunk gives its memory back when the last `Data` that shares it is gone, on whatever thread.
final class BodyBuffers: Sendable {
    /// The length of every buffer, in bytes, and so the longest chunk.
    static let length = 64 << 10
    /// When so many were given back and not taken again, further ones go back to the system.
    private static let mostReturned = 64

    private let returned = Lock<Returned>(Returned())
    /// What the loop took of them in one go, so that it seldom meets those who give back.
    nonisolated(unsafe) private var idle: [BodyBuffer] = []  // because only the loop's thread takes and closes

    private struct Returned {
        var buffers: [BodyBuffer] = []
        var isClosed = false
    }

    /// An empty buffer.
    func take() -> BodyBuffer {
        if let buffer = unsafe idle.popLast() { return buffer }
        returned.withLock { returned in unsafe swap(&returned.buffers, &idle) }
        return unsafe idle.popLast() ?? BodyBuffer(home: self)
    }

    /// Frees what is here; what is given back later is freed then. Without it, buffers and their home keep each other.
    func close() {
        unsafe idle = []
        returned.withLock { returned in returned = Returned(isClosed: true) }
    }

    fileprivate func giveBack(_ buffer: BodyBuffer) {
        returned.withLock { returned in
            if !returned.isClosed, returned.buffers.count < Self.mostReturned { returned.buffers.append(buffer) }
        }
    }
}

/// A chunk while it is being filled, and its memory from then on.
@safe final class BodyBuffer: BodyMemory, @unchecked Sendable {  // because one at a time has it: who fills it, then who frees it
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: BodyBuffers.length, alignment: 64)
    private(set) var count = 0
    /// Where it goes when it is not needed any more.
    private let home: BodyBuffers

    fileprivate init(home: BodyBuffers) { self.home = home }

    deinit { unsafe memory.deallocate() }

    /// The rest of it.
    var room: UnsafeMutableRawPointer { unsafe memory + count }
    var freeRoom: Int { BodyBuffers.length - count }

    /// So many bytes were put where there was room.
    func filled(_ more: Int) { count += more }

    /// The chunk, after which nothing may be appended. A short one gets memory of its own length, so that whoever keeps it
    /// keeps no more than that.
    var chunk: BodyChunk {
        guard count < BodyBuffers.length / 2 else { return .memory(self) }
        defer { giveBack() }
        return unsafe .data(Data(bytes: memory, count: count))
    }

    func sealed() -> Data {
        unsafe Data(bytesNoCopy: memory, count: count, deallocator: .custom { _, _ in self.giveBack() })
    }

    private func giveBack() {
        count = 0
        home.giveBack(self)
    }
}
