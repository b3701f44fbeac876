internal import HTTPTypes
public import ImageCore

/// Loads `data` URLs (RFC 2397): `data:[<media type>][;base64],<data>`, base64 or percent-encoded.
///
/// Base64 is taken in the standard and in the URL-safe alphabet, with padding or without; percent-encoded characters and
/// white space in it are accepted, as browsers do. The media type becomes the answer's `Content-Type`.
public struct DataURLLoader: DataLoading {
    /// The largest body, in bytes, where the request names none.
    public var maximumBytes: Int

    public init(maximumBytes: Int = ResponseLimit.standard) { self.maximumBytes = maximumBytes }

    /// Decodes the URL.
    ///
    /// - Throws: ``ImageError``: `unsupportedScheme`, `invalidRequest` for a URL that is malformed, `tooLarge`.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        let source = ImageSource.redacted(request.url)
        let text = request.url.absoluteString
        guard text.utf8.count >= 5, text.prefix(5).lowercased() == "data:" else {
            throw ImageError(.unsupportedScheme, message: "\(source) is not a data URL.")
        }
        let limit = request.maximumBytes ?? maximumBytes
        let rest = text.utf8.dropFirst(5)
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else {
            throw ImageError(.invalidRequest, message: "\(source) has no comma between its media type and its data.")
        }
        let end = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
        guard comma < end else {
            throw ImageError(.invalidRequest, message: "\(source) has no comma between its media type and its data.")
        }
        let payload = rest[rest.index(after: comma)..<end]
        // Three bytes take at least four characters, one byte at least one: so much is known before anything is decoded.
        guard payload.count / 4 <= limit else { throw Self.tooLarge(source, limit) }
        guard let bytes = PercentEncoding.decode(payload) else {
            throw ImageError(.invalidRequest, message: "\(source) has a % without two hexadecimal digits.")
        }
        var mediaType = String(decoding: rest[..<comma], as: UTF8.self)
        var data = bytes
        if mediaType.lowercased().hasSuffix(";base64") {
            mediaType.removeLast(7)
            guard let decoded = Base64.decode(bytes) else {
                throw ImageError(.invalidRequest, message: "\(source) does not hold valid base64.")
            }
            data = decoded
        }
        guard data.count <= limit else { throw Self.tooLarge(source, limit) }
        var head = HTTPResponse(status: .ok)
        // RFC 2397, section 2: what an omitted media type means.
        head.headerFields[.contentType] =
            mediaType.isEmpty ? "text/plain;charset=US-ASCII" : mediaType.hasPrefix(";") ? "text/plain" + mediaType : mediaType
        return DataResponse(url: request.url, head: head, body: ByteStream(Data(data)))
    }

    private static func tooLarge(_ source: String, _ limit: Int) -> ImageError {
        ImageError(.tooLarge, message: "\(source) exceeds the limit of \(limit) bytes. Raise maximumResponseBytes to load it.")
    }
}

/// Base64 (RFC 4648, sections 4 and 5) with white space allowed.
enum Base64 {
    /// `nil` for other characters, wrong padding, or a length that no bytes have.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        for character in text where !isSpace(character) {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            digits += 1
            if digits & 3 == 0 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        let left = digits & 3
        guard padding == 0 || padding == (4 - left) & 3 else { return nil }
        switch left {
        case 0: break
        case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x61...0x7A: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
