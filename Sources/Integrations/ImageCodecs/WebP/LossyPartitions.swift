import ImageCore
import ImageDecoding

/// The partitions of a lossy image (RFC 6386, 9.1 to 9.6). Ten bytes contain the length of the first partition, which begins with
/// the settings of the image. Three bytes each follow with the lengths of the other partitions except the last, and then those
/// partitions, which contain the coefficients.
struct LossyPartitions {
    private let reader: ByteReader
    private let start: Int

    /// - Parameter start: The offset of the content of the chunk `VP8 ` in the file.
    init(_ file: Data, at start: Int) {
        (reader, self.start) = (ByteReader(file), start)
    }

    /// Whether the last partition cannot come from an encoder. The decoder compares the partition's bytes with its range, which
    /// is 255 at first. If the first byte is 255, it is outside the range from then on, and libwebp's result depends on how many
    /// bytes it loads at a time, and so on how the file is split.
    var isLastOutOfRange: Bool { firstByteOfLast == 0xFF }

    private var firstByteOfLast: UInt8? {
        guard let tag = reader.uint32(at: start, bigEndian: false) else { return nil }
        // Three bytes: the type of the frame in five bits, and the length of the first partition.
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

    /// The offsets of the partitions with coefficients, from the beginning of the first partition.
    private func logarithmOfCount(in partition: Range<Int>) -> Int {
        var header = BooleanReader(reader, partition)
        // The colour space, and whether colours need clamping.
        _ = header.number(2)
        if header.flag() {
            let (hasMap, hasData) = (header.flag(), header.flag())
            if hasData {
                _ = header.flag()
                for bits in [7, 7, 7, 7, 6, 6, 6, 6] where header.flag() { _ = header.number(bits + 1) }
            }
            if hasMap { for _ in 0..<3 where header.flag() { _ = header.number(8) } }
        }
        // The loop filter: type, level, sharpness.
        _ = header.number(1 + 6 + 3)
        if header.flag(), header.flag() {
            for _ in 0..<8 where header.flag() { _ = header.number(6 + 1) }
        }
        return header.number(2)
    }
}

/// The boolean decoder (RFC 6386, 7.3) for bits whose probability is one half. After the end of the partition it returns zeros.
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
