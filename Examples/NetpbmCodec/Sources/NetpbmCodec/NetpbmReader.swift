import ImageCore

/// Reads the numbers and words of a Netpbm file in order: its header, and the samples of a text file.
///
/// Whitespace is spaces, tabs, carriage returns and line feeds. A comment goes from `#` to the end of its line, which
/// belongs to it, and may stand anywhere, also within a number.
struct NetpbmReader {
    let bytes: UnsafeRawBufferPointer
    /// The position of the next byte.
    var position: Int

    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// Returns a number, and consumes the whitespace character that must follow. The end of the file ends no number,
    /// because digits may be missing. A number beyond 2^40 counts as that, which is beyond every limit.
    ///
    /// - Parameter isDigit: whether the number is one digit, which nothing need follow.
    mutating func number(isDigit: Bool = false) throws -> Int {
        var number: Int?
        while let byte = next() {
            if (0x30...0x39).contains(byte) {
                number = min((number ?? 0) * 10 + Int(byte - 0x30), 1 << 40)
            } else if !Self.isWhitespace(byte) {
                throw ImageError.netpbm(.corrupt, "has the byte \(byte) in place of a digit")
            }
            if let number, isDigit || Self.isWhitespace(byte) { return number }
        }
        throw ImageError.netpbm(.truncated, "ends within its header or its text")
    }

    /// Returns a word, or its first 64 bytes, and consumes the whitespace character that must follow.
    mutating func word() throws -> String {
        var byte = next()
        while let space = byte, Self.isWhitespace(space) { byte = next() }
        let start = position - 1
        while let letter = byte, !Self.isWhitespace(letter) { byte = next() }
        guard byte != nil else { throw ImageError.netpbm(.truncated, "ends within its header or its text") }
        return String(decoding: bytes[start..<position - 1].prefix(64), as: UTF8.self)
    }

    /// Returns the next byte outside of comments; `nil` at the end of the file.
    private mutating func next() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "#") else { return byte }
            while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
            position += 1
        }
        return nil
    }
}

extension ImageError {
    /// - Parameter problem: what is wrong: the rest of the sentence that begins with the file.
    static func netpbm(_ code: Code, _ problem: String) -> ImageError { ImageError(code, message: "The Netpbm file \(problem).") }
}
