internal import ImageCore
internal import ImageDecoding

/// Decodes the palette indices of a GIF frame: LZW with codes of at most 12 bits, the lowest bit first (GIF89a,
/// appendix F).
///
/// The code `clear` empties the table, and the next code ends the data. As in browsers, the data may begin with codes
/// of up to 11 bits, of which an index keeps 8.
@safe struct LZWDecoder {
    private let data: [UInt8]
    private let startBits: Int
    private var offset = 0
    private var (bits, bitCount) = (0, 0)
    private var codeBits: Int
    /// The code that the table gets next. Smaller codes are those of single indices, `clear`, the end, and sequences: a
    /// shorter sequence and an index.
    private var next: Int
    private let table: Scratch
    private let prefixes: UnsafeMutablePointer<UInt16>
    private let suffixes: UnsafeMutablePointer<UInt8>
    private var previous: Int?
    private var first: UInt8 = 0
    /// The indices of the last code that have not been read, in reverse: at most one for each code of the table.
    private let pending: UnsafeMutablePointer<UInt8>
    private var pendingCount = 0
    /// Whether a code is invalid.
    private(set) var isDamaged = false

    /// - Parameters:
    ///   - data: the content of the sub-blocks.
    ///   - startBits: the bits of the codes of single indices.
    init(_ data: Data, startBits: Int) throws(ImageError) {
        guard startBits < 12 else {
            throw .damaged(.gif, "the codes of a frame have \(startBits) bits, but at most 11 are allowed")
        }
        (self.data, self.startBits) = (Array(data), startBits)
        (codeBits, next) = (startBits + 1, (1 << startBits) + 2)
        table = try Scratch(rows: 4, rowBytes: 4096)
        unsafe prefixes = table.base.assumingMemoryBound(to: UInt16.self)
        unsafe suffixes = (table.base + 2 * 4096).assumingMemoryBound(to: UInt8.self)
        unsafe pending = (table.base + 3 * 4096).assumingMemoryBound(to: UInt8.self)
    }

    /// Writes the next indices. Returns their number, which is less than `count` only where the data ends.
    mutating func read(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
        var written = 0
        while written < count {
            if pendingCount == 0, !readCode() { break }
            let part = min(pendingCount, count - written)
            for i in 0..<part { unsafe target[written + i] = pending[pendingCount - 1 - i] }
            pendingCount -= part
            written += part
        }
        return written
    }

    /// Reads a code, and puts its indices into `pending`. Returns `false` at the end of the data.
    private mutating func readCode() -> Bool {
        while bitCount < codeBits {
            guard offset < data.count else { return false }
            bits |= Int(data[offset]) << bitCount
            offset += 1
            bitCount += 8
        }
        let code = bits & (1 << codeBits - 1)
        let clear = 1 << startBits
        if code == clear + 1 || isDamaged { return false }
        bits >>= codeBits
        bitCount -= codeBits
        if code == clear {
            (codeBits, next, previous) = (startBits + 1, clear + 2, nil)
            return true
        }
        // The code that the table gets next stands for the previous sequence and its first index.
        guard code < (previous == nil ? clear : next + 1), code < 4096 else {
            isDamaged = true
            return false
        }
        var rest = code
        if code == next, let previous {
            put(first)
            rest = previous
        }
        while rest > clear {
            unsafe put(suffixes[rest])
            rest = unsafe Int(prefixes[rest])
        }
        first = UInt8(truncatingIfNeeded: rest)
        put(first)
        if let previous, next < 4096 {
            unsafe (prefixes[next], suffixes[next]) = (UInt16(previous), first)
            next += 1
            if next == 1 << codeBits, codeBits < 12 { codeBits += 1 }
        }
        previous = code
        return true
    }

    private mutating func put(_ index: UInt8) {
        unsafe pending[pendingCount] = index
        pendingCount += 1
    }
}
