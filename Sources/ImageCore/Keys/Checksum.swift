/// XXH64 (Yann Collet, "xxHash fast digest algorithm", version 0.1.1) of bytes that may be appended in pieces.
///
/// Detects damage at about the speed of memory. It does not protect against forgery.
package struct Checksum: Sendable {
    private static let stripe = 32

    private let seed: UInt64
    private var lanes: (UInt64, UInt64, UInt64, UInt64)
    /// The bytes after the last whole stripe.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    /// Creates the checksum of no bytes.
    package init(seed: UInt64 = 0) {
        self.seed = seed
        lanes = (seed &+ Self.p1 &+ Self.p2, seed &+ Self.p2, seed, seed &- Self.p1)
    }

    /// Returns the checksum of bytes in memory.
    package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var checksum = Checksum(seed: seed)
        let end = bytes.count / stripe * stripe
        if end > 0 { unsafe checksum.absorb(UnsafeRawBufferPointer(rebasing: bytes[..<end])) }
        checksum.count = UInt64(bytes.count)
        return unsafe checksum.value(rest: UnsafeRawBufferPointer(rebasing: bytes[end...]))
    }

    /// Appends bytes.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            start = min(bytes.count, Self.stripe - rest.count)
            unsafe rest.append(contentsOf: bytes[..<start])
            guard rest.count == Self.stripe else { return }
            let whole = rest
            unsafe whole.withUnsafeBytes { unsafe absorb($0) }
            rest.removeAll(keepingCapacity: true)
        }
        let end = start + (bytes.count - start) / Self.stripe * Self.stripe
        if end > start { unsafe absorb(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
        if end < bytes.count { unsafe rest.append(contentsOf: bytes[end...]) }
    }

    /// The checksum of all bytes that were appended.
    package var value: UInt64 { unsafe rest.withUnsafeBytes { unsafe value(rest: $0) } }

    /// Processes whole stripes.
    private mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
        var (a, b, c, d) = lanes
        var at = 0
        while at < bytes.count {
            unsafe a = Self.mix(a, Self.word(bytes, at))
            unsafe b = Self.mix(b, Self.word(bytes, at + 8))
            unsafe c = Self.mix(c, Self.word(bytes, at + 16))
            unsafe d = Self.mix(d, Self.word(bytes, at + 24))
            at += Self.stripe
        }
        lanes = (a, b, c, d)
    }

    private func value(rest: UnsafeRawBufferPointer) -> UInt64 {
        let (a, b, c, d) = lanes
        var hash = seed &+ Self.p5
        if count >= UInt64(Self.stripe) {
            hash = Self.rotate(a, 1) &+ Self.rotate(b, 7) &+ Self.rotate(c, 12) &+ Self.rotate(d, 18)
            for lane in [a, b, c, d] { hash = (hash ^ Self.mix(0, lane)) &* Self.p1 &+ Self.p4 }
        }
        hash &+= count
        var at = 0
        while rest.count - at >= 8 {
            unsafe hash = Self.rotate(hash ^ Self.mix(0, Self.word(rest, at)), 27) &* Self.p1 &+ Self.p4
            at += 8
        }
        if rest.count - at >= 4 {
            let half = unsafe Self.word(rest, at, as: UInt32.self)
            hash = Self.rotate(hash ^ UInt64(half) &* Self.p1, 23) &* Self.p2 &+ Self.p3
            at += 4
        }
        while at < rest.count {
            unsafe hash = Self.rotate(hash ^ UInt64(rest[at]) &* Self.p5, 11) &* Self.p1
            at += 1
        }
        hash = (hash ^ hash >> 33) &* Self.p2
        hash = (hash ^ hash >> 29) &* Self.p3
        return hash ^ hash >> 32
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
