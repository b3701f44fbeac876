internal import ImageCore

/// The name of an entry inside one cache directory: 128 bits that do not reveal its URL.
///
/// ``low`` is a hash of the whole key, and ``high`` one of the source of its resource. Both are halves of SipHash-2-4 with 128 bits
/// of output (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), keyed with the directory's random secret. Without
/// the secret, a plain digest would let anyone who finds the name of a file confirm a guessed URL.
struct EntryName: Hashable, Sendable {
    var low: UInt64
    var high: UInt64

    // The words are uniformly distributed.
    func hash(into hasher: inout Hasher) { hasher.combine(low) }

    /// 32 hexadecimal digits.
    var text: String { high.hexDigits + low.hexDigits }
}

extension EntryName {
    init(_ key: DataKey, secret: EntryName) {
        var text = key.resource.text
        // A zero byte, which occurs in no URL, separates the resource from the variant.
        if let variant = key.variant { text += "\0" + variant }
        self = text.withUTF8 { unsafe EntryName(hashing: UnsafeRawBufferPointer($0), secret: secret) }
        // The text of most keys is their source.
        if key.resource.source.utf8.count < text.utf8.count { high = Self.sourceHash(of: key.resource, secret: secret) }
    }

    /// The ``high`` word of the names of all entries with the source of a resource, so that they can be removed together.
    static func sourceHash(of resource: ResourceKey, secret: EntryName) -> UInt64 {
        var source = resource.source
        return source.withUTF8 { unsafe EntryName(hashing: UnsafeRawBufferPointer($0), secret: secret).high }
    }

    init(hashing bytes: UnsafeRawBufferPointer, secret: EntryName) {
        var hash = SipState(secret)
        let words = bytes.count / 8
        for i in 0..<words {
            unsafe hash.absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * i, as: UInt64.self)))
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for i in 8 * words..<bytes.count { unsafe last |= UInt64(bytes[i]) << UInt64(8 * (i - 8 * words)) }
        hash.absorb(last)
        let (low, high) = hash.finish()
        self.init(low: low, high: high)
    }
}

extension UInt64 {
    /// 16 hexadecimal digits.
    var hexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

private struct SipState {
    private var v0, v1, v2, v3: UInt64

    init(_ key: EntryName) {
        v0 = key.low ^ 0x736f_6d65_7073_6575
        v1 = key.high ^ 0x646f_7261_6e64_6f6d ^ 0xee
        v2 = key.low ^ 0x6c79_6765_6e65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    mutating func absorb(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    mutating func finish() -> (UInt64, UInt64) {
        v2 ^= 0xee
        for _ in 0..<4 { round() }
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<4 { round() }
        return (low, v0 ^ v1 ^ v2 ^ v3)
    }

    private mutating func round() {
        v0 &+= v1
        v2 &+= v3
        v1 = v1 << 13 | v1 >> 51
        v3 = v3 << 16 | v3 >> 48
        v1 ^= v0
        v3 ^= v2
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v1
        v0 &+= v3
        v1 = v1 << 17 | v1 >> 47
        v3 = v3 << 21 | v3 >> 43
        v1 ^= v2
        v3 ^= v0
        v2 = v2 << 32 | v2 >> 32
    }
}
