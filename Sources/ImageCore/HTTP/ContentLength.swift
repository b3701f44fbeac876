/// Parses the `Content-Length` field (RFC 9110, section 8.6).
package enum ContentLength {
    /// The number of bytes that the field states; `nil` if the field is invalid.
    ///
    /// A list of equal numbers is valid. With an invalid length the end of the body is unknown (RFC 9112, section 6.3).
    package static func bytes(of text: String) -> Int? {
        guard text.utf8.contains(UInt8(ascii: ",")) else { return number(text[...]) }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { number($0.drop { $0 == " " }) }
        return numbers.allSatisfy { $0 == numbers.first } ? numbers.first ?? nil : nil
    }

    /// The value of `text` if it consists of digits alone, without a sign.
    private static func number(_ text: Substring) -> Int? { text.utf8.first.map { 0x30...0x39 ~= $0 } == true ? Int(text) : nil }
}
