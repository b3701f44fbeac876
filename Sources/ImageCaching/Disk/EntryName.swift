internal import ImageCore

/// The name of an entry: ``DataKey/digest`` as a number.
struct EntryName: Hashable, Sendable {
    /// The words of the digest, the most significant first. The first word is that of the source.
    let words: SIMD4<UInt64>

    // The words are uniformly distributed.
    func hash(into hasher: inout Hasher) { hasher.combine(words[1]) }

    /// The digest, 64 hexadecimal digits.
    var text: String { digits(0..<64) }

    /// The number of the entry's folder. The entries of one source lie in one folder.
    var folder: UInt8 { UInt8(truncatingIfNeeded: words[0] >> 56) }

    /// The name of the entry's file in its folder: the digest without the two digits of the folder.
    var fileName: String { digits(2..<64) }

    /// The name of a folder, two hexadecimal digits.
    static func folderName(_ folder: UInt8) -> String { EntryName(words: SIMD4(UInt64(folder) << 56, 0, 0, 0)).digits(0..<2) }

    private func digits(_ range: Range<Int>) -> String {
        unsafe String(unsafeUninitializedCapacity: range.count) { buffer in
            for (i, digit) in range.enumerated() {
                let value = UInt8(truncatingIfNeeded: words[digit / 16] >> UInt64(60 - digit % 16 * 4)) & 15
                unsafe buffer[i] = value < 10 ? 0x30 + value : 0x57 + value
            }
            return range.count
        }
    }
}

extension EntryName {
    init(_ key: DataKey) {
        let digest = key.digestWords
        words = SIMD4((0..<4).map { UInt64(digest[2 * $0]) << 32 | UInt64(digest[2 * $0 + 1]) })
    }

    /// The entry of a file; `nil` unless the cache creates that name in the folder.
    init?(folder: UInt8, fileName: String) {
        var words = SIMD4(UInt64(folder), 0, 0, 0)
        let digits = fileName.utf8
        guard digits.count == 62 else { return nil }
        for (i, digit) in zip(2..., digits) {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x61...0x66: value = digit - 0x57
            default: return nil
            }
            words[i / 16] = words[i / 16] << 4 | UInt64(value)
        }
        self.words = words
    }

    /// The first word of the names of all entries with the source of a resource.
    static func sourceWord(of resource: ResourceKey) -> UInt64 { EntryName(DataKey(resource: resource)).words[0] }
}

extension UInt64 {
    /// 16 hexadecimal digits.
    var hexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
