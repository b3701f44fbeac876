import ImageCore
import Testing

@Suite struct ChecksumTests {
    /// The values of the reference implementation.
    @Test(
        arguments: [
            ("", 0, 0xef46_db37_51d8_e999), ("abc", 0, 0x44bc_2cf5_ad77_0999), ("xxhash", 20_141_025, 0xb559_b98d_844e_0635),
            ("The quick brown fox jumps over the lazy dog", 0, 0x0b24_2d36_1fda_71bc),
        ] as [(String, UInt64, UInt64)])
    func theChecksumIsXXH64(text: String, seed: UInt64, expected: UInt64) {
        #expect(unsafe Array(text.utf8).withUnsafeBytes { unsafe Checksum.of($0, seed: seed) } == expected)
    }
}
