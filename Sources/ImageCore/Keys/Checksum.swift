/// XXH64 (Yann Collet, "xxHash fast digest algorithm", version 0.1.1).
///
/// Detects damage at about the speed of memory. It does not protect against forgery.
package enum Checksum {
    private static let stripe = 32

    /// Returns the checksum of bytes.
    package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var at = bytes.count / stripe * stripe
        var hash = at > 0 ? unsafe hash(ofStripes: UnsafeRawBufferPointer(rebasing: bytes[..<at]), seed: seed) : seed &+ p5
        hash &+= UInt64(bytes.count)
        while bytes.count - at >= 8 {
            unsafe hash = rotate(hash ^ mix(0, word(bytes, at)), 27) &* p1 &+ p4
            at += 8
        }
        if bytes.count - at >= 4 {
            let half = unsafe word(bytes, at, as: UInt32.self)
            hash = rotate(hash ^ UInt64(half) &* p1, 23) &* p2 &+ p3
            at += 4
        }
        while at < bytes.count {
            unsafe hash = rotate(hash ^ UInt64(bytes[at]) &* p5, 11) &* p1
            at += 1
        }
        hash = (hash ^ hash >> 33) &* p2
        hash = (hash ^ hash >> 29) &* p3
        return hash ^ hash >> 32
    }

    private static func hash(ofStripes bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var (a, b, c, d) = (seed &+ p1 &+ p2, seed &+ p2, seed, seed &- p1)
        for at in stride(from: 0, to: bytes.count, by: stripe) {
            unsafe a = mix(a, word(bytes, at))
            unsafe b = mix(b, word(bytes, at + 8))
            unsafe c = mix(c, word(bytes, at + 16))
            unsafe d = mix(d, word(bytes, at + 24))
        }
        var hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
        for lane in [a, b, c, d] { hash = (hash ^ mix(0, lane)) &* p1 &+ p4 }
        return hash
    }

    private static func word<Word: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, _ at: Int, as type: Word.Type = UInt64.self
    ) -> Word {
        Word(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: at, as: Word.self))
    }

    private static func mix(_ lane: UInt64, _ word: UInt64) -> UInt64 { rotate(lane &+ word &* p2, 31) &* p1 }

    private static func rotate(_ x: UInt64, _ n: UInt64) -> UInt64 { x << n | x >> (64 - n) }

    private static let p1: UInt64 = 0x9e37_79b1_85eb_ca87
    private static let p2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
    private static let p3: UInt64 = 0x1656_67b1_9e37_79f9
    private static let p4: UInt64 = 0x85eb_ca77_c2b2_ae63
    private static let p5: UInt64 = 0x27d4_eb2f_1656_67c5
}
