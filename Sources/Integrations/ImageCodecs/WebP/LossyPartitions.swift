import ImageCore
import ImageDecoding

/// The partitions of a lossy image (RFC 6386, 9.1 to 9.6): ten bytes, in which stands the length of the first one; the first
/// one, which begins with what holds for the whole image; three bytes for the length of each further one but the last; and
/// those, with the coefficients.
struct LossyPartitions {
    private let reader: ByteReader
    private let start: Int

    /// - Parameter start: where the content of the chunk `VP8 ` begins in the file.
    init(_ file: Data, at start: Int) {
        (reader, self.start) = (ByteReader(file), start)
    }

    /// Whether the last partition is none that an encoder writes. It is read as a number below the range of the decoder, which
    /// is 255 at first, and bits are told by comparing the two: a first byte of 255 lies beyond the range from then on, and what
    /// libwebp makes of it hangs on how many bytes it loads at a time, and thus on how the file is cut.
    var isLastOutOfRange: Bool { firstByteOfLast == 0xFF }

    private var firstByteOfLast: UInt8? {
        guard let tag = reader.uint32(at: start, bigEndian: false) else { return nil }
        // Three bytes: what kind of frame it is, in five bits, and the length of the first partition.
        let first = start + 10
        let lengths = first + (tag & 0xFF_FFFF) >> 5
        let furtherCount = 1 << logarithmOfCount(in: first..<lengths)
        var last = lengths + 3 * (furtherCount - 1)
        for number in 0..<(furtherCount - 1) {
            guard let length = reader.uint32(at: lengths + 3 * number, bigEndian: false) else { return nil }
            last += length & 0xFF_FFFF
        }
        return reader.byte(at: last)
    }

    /// Of the partitions with coefficients, from the beginning of the first one.
    private func logarithmOfCount(in partition: Range<Int>) -> Int {
        var header = BooleanReader(reader, partition)
        // The colour space, and whether colours need no clamping.
        _ = header.number(2)
        if header.flag() {
            let (hasMap, hasData) = (header.flag(), header.flag())
            if hasData {
                _ = header.flag()
                for bits in [7, 7, 7, 7, 6, 6, 6, 6] where header.flag() { _ = header.number(bits + 1) }
            }
            if hasMap { for _ in 0..<3 where header.flag() { _ = header.number(8) } }
        }
        // The loop filter: kind, level, sharpness.
        _ = header.number(1 + 6 + 3)
        if header.flag(), header.flag() {
            for _ in 0..<8 where header.flag() { _ = header.number(6 + 1) }
        }
        return header.number(2)
    }
}

/// The boolean decoder (RFC 6386, 7.3), for bits that are as often 0 as 1. Past the end of the partition there are zeros.
private struct BooleanReader {
    private let reader: ByteReader
    private var rest: Range<Int>
    private var (value, range, shifted) = (0, 255, 0)

    init(_ reader: ByteReader, _ partition: Range<Int>) {
        (self.reader, rest) = (reader, partition)
        value = nextByte() << 8
        value |= nextByte()
    }

    private mutating func nextByte() -> Int {
        guard let byte = rest.popFirst() else { return 0 }
        return reader.byte(at: byte).map(Int.init) ?? 0
    }

    mutating func flag() -> Bool {
        let split = 1 + (range - 1) >> 1
        let isSet = value >= split << 8
        if isSet {
            range -= split
            value -= split << 8
        } else {
            range = split
        }
        while range < 128 {
            (value, range, shifted) = (value << 1, range << 1, shifted + 1)
            if shifted % 8 == 0 { value |= nextByte() }
        }
        return isSet
    }

    mutating func number(_ bits: Int) -> Int { (0..<bits).reduce(0) { number, _ in number << 1 | (flag() ? 1 : 0) } }
}
