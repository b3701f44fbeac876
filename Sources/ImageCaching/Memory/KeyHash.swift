/// The hash of an image's key, as a key of dictionaries that only have to recognise keys. It is seeded, so that it needs no
/// other hashing.
struct KeyHash: Hashable, Sendable {
    let value: Int

    func _rawHashValue(seed: Int) -> Int {
        let product = UInt(bitPattern: value ^ seed) &* 0x9E37_79B9_7F4A_7C15
        return Int(bitPattern: product ^ product >> 32)
    }
}
