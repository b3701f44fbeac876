internal import ImageCore

/// Memory for the chunks of bodies, used again and again: fresh pages from the system cost more than the bytes that are
/// copied into them. A chunk gives its memory back when the last `Data` that shares it is gone, on whatever thread.
final class BodyBuffers: Sendable {
    /// The length of every buffer, in bytes, and so the longest chunk.
    static let length = 64 << 10
    /// More than this many idle buffers go back to the system.
    private static let mostIdle = 64

    private let idle = Lock<[BodyBuffer]>([])

    /// An empty buffer.
    func take() -> BodyBuffer {
        let buffer = idle.withLock { $0.popLast() } ?? BodyBuffer()
        buffer.home = self
        return buffer
    }

    fileprivate func giveBack(_ buffer: BodyBuffer) {
        idle.withLock { idle in
            if idle.count < Self.mostIdle { idle.append(buffer) }
        }
    }
}

/// A chunk while it is being filled, and its memory from then on.
@safe final class BodyBuffer: @unchecked Sendable {  // because it has one owner at a time: who fills it, then who frees it
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: BodyBuffers.length, alignment: 64)
    private(set) var count = 0
    /// Where it goes when it is not needed any more; `nil` while it is there.
    fileprivate var home: BodyBuffers?

    deinit { unsafe memory.deallocate() }

    /// The rest of it.
    var room: UnsafeMutableRawPointer { unsafe memory + count }
    var freeRoom: Int { BodyBuffers.length - count }

    /// So many bytes were put where there was room.
    func filled(_ more: Int) { count += more }

    /// The chunk, after which nothing may be appended. A short one gets memory of its own length, so that whoever keeps it
    /// keeps no more than that.
    func sealed() -> Data {
        guard count >= BodyBuffers.length / 2 else {
            defer { giveBack() }
            return unsafe Data(bytes: memory, count: count)
        }
        return unsafe Data(bytesNoCopy: memory, count: count, deallocator: .custom { _, _ in self.giveBack() })
    }

    private func giveBack() {
        count = 0
        home.take()?.giveBack(self)
    }
}
