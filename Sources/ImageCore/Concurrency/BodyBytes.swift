internal import CalotypeSystem

/// Collects the chunks of a body. Reports when memory runs out, where `Data` would end the process.
package struct BodyBytes: Sendable {
    /// The only chunk of the body, which is not copied; empty once there are more.
    private var first = Data()
    private var buffer: GrowingBuffer?
    private var capacity = 0
    /// The number of bytes.
    package private(set) var count = 0

    /// Creates an empty body.
    package init() {}

    /// Appends a chunk.
    ///
    /// - Parameter expected: the announced length. As it may be wrong, at most 1 MB is allocated beyond the bytes that
    ///   have arrived.
    /// - Returns: `false` if there is not enough memory; the chunk is then not appended.
    package mutating func append(_ chunk: Data, expected: Int? = nil) -> Bool {
        let needed = count + chunk.count
        guard count > 0 else {
            (first, count) = (chunk, needed)
            return true
        }
        if needed > capacity {
            let claimed = max(needed, expected ?? .max)
            let preferred = min(claimed, max(2 * capacity, needed + (expected == nil ? 0 : 1 << 20)))
            guard grow(to: preferred) || grow(to: needed) else { return false }
        }
        guard let buffer else { return false }
        unsafe chunk.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe (buffer.start + count).copyMemory(from: start, byteCount: bytes.count)
        }
        count = needed
        return true
    }

    /// The bytes so far, without a copy. Later chunks are written behind them and do not change them.
    package var data: Data {
        guard let buffer else { return first }
        return unsafe Data(
            bytesNoCopy: buffer.start, count: count, deallocator: .custom { _, _ in withExtendedLifetime(buffer) {} })
    }

    private mutating func grow(to newCapacity: Int) -> Bool {
        // The buffer may move only if no `Data` refers to it.
        if buffer != nil, isKnownUniquelyReferenced(&buffer) {
            guard let buffer, buffer.resize(to: newCapacity) else { return false }
        } else {
            guard let larger = GrowingBuffer(newCapacity) else { return false }
            let old = data
            unsafe old.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { unsafe larger.start.copyMemory(from: start, byteCount: bytes.count) }
            }
            (buffer, first) = (larger, Data())
        }
        capacity = newCapacity
        return true
    }
}

/// Memory of the C library.
@safe private final class GrowingBuffer: @unchecked Sendable {  // because bytes are written once, behind those that readers have
    private(set) var start: UnsafeMutableRawPointer

    init?(_ count: Int) {
        guard let start = unsafe malloc(count) else { return nil }
        unsafe self.start = start
    }

    deinit { unsafe free(start) }

    /// - Returns: `false` if there is not enough memory; the buffer is then unchanged.
    func resize(to count: Int) -> Bool {
        guard let moved = unsafe realloc(start, count) else { return false }
        unsafe start = moved
        return true
    }
}
