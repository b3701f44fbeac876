internal import ImageCore
internal import ImageDecoding

/// Decodes the palette indices of a GIF frame: LZW with codes of at most 12 bits, the lowest bit first (GIF89a,
/// appendix F).
///
/// The code `clear` empties the table, and the next code ends the data. As in browsers, the data may begin with codes
/// of up to 11 bits, of which an index keeps 8.
struct LZWDecoder {
    private let data: Data
    private let startBits: Int
    private var offset: Int
    private var (bits, bitCount) = (0, 0)
    private var codeBits: Int
    /// The code that the table gets next. Smaller codes are those of single indices, `clear`, the end, and sequences: a
    /// shorter sequence and an index.
    private var next: Int
    private var prefixes = [UInt16](repeating: 0, count: 4096)
    private var suffixes = [UInt8](repeating: 0, count: 4096)
    private var previous: Int?
    private var first: UInt8 = 0
    /// The indices of the last code that have not been read, in reverse.
    private var pending: [UInt8] = []
    /// Whether a code is invalid.
    private(set) var isDamaged = false

    /// - Parameters:
    ///   - data: the content of the sub-blocks.
    ///   - startBits: the bits of the codes of single indices.
    init(_ data: Data, startBits: Int) throws(ImageError) {
        guard startBits < 12 else {
            throw .damaged(.gif, "the codes of a frame have \(startBits) bits, but at most 11 are allowed")
        }
        (self.data, self.startBits) = (data, startBits)
        (offset, codeBits, next) = (data.startIndex, startBits + 1, (1 << startBits) + 2)
    }

    /// Writes the next indices. Returns their number, which is less than `count` only where the data ends.
    mutating func read(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
        var written = 0
        while written < count {
            if let index = pending.popLast() {
                unsafe target[written] = index
                written += 1
            } else if !readCode() {
                break
            }
        }
        return written
    }

    /// Reads a code, and puts its indices into `pending`. Returns `false` at the end of the data.
    private mutating func readCode() -> Bool {
        while bitCount < codeBits {
            guard offset < data.endIndex else { return false }
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
            pending.append(first)
            rest = previous
        }
        while rest > clear {
            pending.append(suffixes[rest])
            rest = Int(prefixes[rest])
        }
        first = UInt8(truncatingIfNeeded: rest)
        pending.append(first)
        if let previous, next < 4096 {
            (prefixes[next], suffixes[next]) = (UInt16(previous), first)
            next += 1
            if next == 1 << codeBits, codeBits < 12 { codeBits += 1 }
        }
        previous = code
        return true
    }
}
