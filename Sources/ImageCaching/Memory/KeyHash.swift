internal import ImageCore

/// The hash of an image's key, as a key of dictionaries that only recognise keys. It is seeded already.
struct KeyHash: Hashable, Sendable {
    let value: Int

    func _rawHashValue(seed: Int) -> Int { fibonacciHash(UInt64(truncatingIfNeeded: value), seed: seed) }
}
