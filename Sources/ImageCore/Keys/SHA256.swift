/// SHA-256 (FIPS 180-4), for names that must not reveal what they stand for: disk entries, and credentials in keys.
///
/// Implemented here because the core would otherwise depend on a cryptography package.
package enum SHA256 {
    /// Returns the digest as 64 lower-case hexadecimal digits.
    package static func hexDigest(of bytes: some Sequence<UInt8>) -> String { hexDigits(of: digest(of: bytes)) }

    /// Returns the words of a digest as text.
    static func hexDigits(of words: [UInt32]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for word in words {
            for shift in stride(from: 28, through: 0, by: -4) { text.append(digits[Int(word >> UInt32(shift) & 15)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the digest as eight words, the most significant first.
    static func digest(of bytes: some Sequence<UInt8>) -> [UInt32] {
        var message = Array(bytes)
        let bitCount = UInt64(message.count) &* 8
        message.append(0x80)
        message.append(contentsOf: repeatElement(0, count: (120 - message.count % 64) % 64))
        for shift in stride(from: 56, through: 0, by: -8) { message.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift))) }

        var state = initial
        var w = [UInt32](repeating: 0, count: 64)
        for block in stride(from: 0, to: message.count, by: 64) {
            for i in 0..<16 {
                let at = block + 4 * i
                w[i] =
                    UInt32(message[at]) << 24 | UInt32(message[at + 1]) << 16 | UInt32(message[at + 2]) << 8
                    | UInt32(message[at + 3])
            }
            for i in 16..<64 {
                let a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3
                let b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10
                w[i] = w[i - 16] &+ a &+ w[i - 7] &+ b
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            for i in 0..<64 {
                let choice = (e & f) ^ (~e & g)
                let t1 = h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ rounds[i] &+ w[i]
                let t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ ((a & b) ^ (a & c) ^ (b & c))
                (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
            }
            for (i, value) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= value }
        }
        return state
    }

    private static func rotate(_ x: UInt32, _ n: UInt32) -> UInt32 { x >> n | x << (32 - n) }

    /// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
    private static let initial = primes(8).map { fraction(of: Double($0).squareRoot()) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let rounds = primes(64).map { fraction(of: cubeRoot(Double($0))) }

    private static func primes(_ count: Int) -> [Int] {
        var found: [Int] = []
        var candidate = 2
        while found.count < count {
            if !found.contains(where: { candidate % $0 == 0 }) { found.append(candidate) }
            candidate += 1
        }
        return found
    }

    /// Newton's method. A double has 53 bits; these roots, which are below 8, need 3 + 32.
    private static func cubeRoot(_ x: Double) -> Double {
        var y = x
        for _ in 0..<64 { y -= (y * y * y - x) / (3 * y * y) }
        return y
    }

    private static func fraction(of x: Double) -> UInt32 { UInt32((x - x.rounded(.down)) * 4_294_967_296) }
}
