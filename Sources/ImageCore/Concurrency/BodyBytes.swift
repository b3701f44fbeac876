internal import CalotypeSystem

/// The bytes of a body, which come one chunk after the other. `Data` ends the process when memory runs out; this says so.
package struct BodyBytes: Sendable {
    /// A body of one chunk is not copied.
    private var first = Data()
    private var room: Room?
    private var capacity = 0
    package private(set) var count = 0

    package init() {}

    /// Adds a chunk.
    ///
    /// - Parameter expected: the announced length: a claim, for which room is made up to a megabyte beyond what has come.
    /// - Returns: `false` when there is not enough memory; the chunk is then not added.
    package mutating func append(_ chunk: Data, expected: Int? = nil) -> Bool {
        let needed = count + chunk.count
        guard count > 0 else {
            (first, count) = (chunk, needed)
            return true
        }
        if needed > capacity {
            let claim = max(needed, expected ?? .max)
            let wish = min(claim, max(2 * capacity, needed + (expected == nil ? 0 : 1 << 20)))
            guard grow(to: wish) || grow(to: needed) else { return false }
        }
        guard let room else { return false }
        unsafe chunk.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe (room.start + count).copyMemory(from: start, byteCount: bytes.count)
        }
        count = needed
        return true
    }

    /// All that has come. More may be appended afterwards without a copy: it is written behind these bytes.
    package var data: Data {
        guard let room else { return first }
        return unsafe Data(bytesNoCopy: room.start, count: count, deallocator: .custom { _, _ in withExtendedLifetime(room) {} })
    }

    private mutating func grow(to wish: Int) -> Bool {
        // The system may move memory that no data refers to.
        if room != nil, isKnownUniquelyReferenced(&room) {
            guard let room, room.resize(to: wish) else { return false }
        } else {
            guard let made = Room(wish) else { return false }
            let old = data
            unsafe old.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { unsafe made.start.copyMemory(from: start, byteCount: bytes.count) }
            }
            (room, first) = (made, Data())
        }
        capacity = wish
        return true
    }
}

/// Memory of the C library, whose end may be empty.
@safe private final class Room: @unchecked Sendable {  // because bytes are written once, behind all that readers were given
    private(set) var start: UnsafeMutableRawPointer

    init?(_ count: Int) {
        guard let start = unsafe malloc(count) else { return nil }
        unsafe self.start = start
    }

    deinit { unsafe free(start) }

    /// Returns `false`, and stays as it is, when there is not enough memory.
    func resize(to count: Int) -> Bool {
        guard let moved = unsafe realloc(start, count) else { return false }
        unsafe start = moved
        return true
    }
}
