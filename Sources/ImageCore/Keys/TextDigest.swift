/// What stands for a text in this process: texts that differ have the same one with a probability below 2⁻¹⁰⁰, whoever
/// chose them, for nobody outside knows the secret points.
///
/// Two polynomials over the integers modulo 2⁶¹ − 1, whose coefficients are the length and the bytes, seven at a time, each
/// taken at a random point of its own (Carter and Wegman, "Universal classes of hash functions", 1979; the modulus as in
/// Thorup and Zhang, "Tabulation-based 5-independent hashing", 2012). Two texts of n coefficients meet at n of 2⁶¹ points at
/// most. Half the time of SipHash, which gives half as many bits.
@usableFromInline
package struct TextDigest: Hashable, Sendable {
    @usableFromInline package private(set) var first: UInt64 = 1
    @usableFromInline package private(set) var second: UInt64 = 1

    init(_ text: String) { append(text) }

    /// For tests that are to find the same in each process.
    package init(first: UInt64, second: UInt64) { (self.first, self.second) = (first, second) }

    /// All of `first` and of `second`, mixed well: with one of them it gives the other.
    @inlinable package var hash: UInt64 {
        var word = first ^ (second << 17 | second >> 47)
        word = (word ^ word >> 32) &* 0xd6e8_feb8_6659_fd93
        return word ^ word >> 32
    }

    /// That of a sequence of texts, of which `self` stands for those before.
    func appending(_ text: String) -> TextDigest {
        var result = self
        result.append(text)
        return result
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            let points = Self.points
            step(UInt64(bytes.count), points)
            let words = UnsafeRawBufferPointer(bytes)
            var start = 0
            // Eight bytes are read for seven.
            while start + 8 <= bytes.count {
                let word = unsafe words.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                step(UInt64(littleEndian: word) & 0xff_ffff_ffff_ffff, points)
                start += 7
            }
            var rest: UInt64 = 0
            for i in start..<bytes.count { rest |= UInt64(unsafe bytes[i]) << UInt64(8 * (i - start)) }
            step(rest, points)
        }
    }

    /// Horner's rule. Sums stay below 2⁶²: as exact as need be, until the end.
    @inline(__always)
    private mutating func step(_ coefficient: UInt64, _ points: (UInt64, UInt64)) {
        first = Self.product(first &+ coefficient, points.0)
        second = Self.product(second &+ coefficient, points.1)
    }

    /// Modulo 2⁶¹ − 1, below 2⁶¹ + 8, of factors below 2⁶².
    @inline(__always)
    private static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (high, low) = a.multipliedFullWidth(by: b)
        let sum = (low & prime) &+ (low >> 61 | high << 3)
        return (sum & prime) &+ sum >> 61
    }

    private static let prime: UInt64 = 1 << 61 - 1

    /// Secret, and others in each process.
    private static let points = (UInt64.random(in: 1 << 32..<prime), UInt64.random(in: 1 << 32..<prime))
}
