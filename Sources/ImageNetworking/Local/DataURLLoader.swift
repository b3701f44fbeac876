internal import HTTPTypes
public import ImageCore

/// Loads `data` URLs (RFC 2397): `data:[<media type>][;base64],<data>`, base64 or percent-encoded.
///
/// It reads what browsers read (Fetch standard, "data: URL processor"): blanks around the media type and before
/// `base64`, and in base64 percent-encoded characters and white space, with or without padding. The URL-safe alphabet
/// is accepted too. The media type becomes the `Content-Type` of the response.
public struct DataURLLoader: DataLoading {
    /// The largest body, in bytes, where the request sets no limit; ``ResponseLimit/standard``.
    public var maximumResponseBytes: Int

    /// Makes a loader.
    public init(maximumResponseBytes: Int = ResponseLimit.standard) { self.maximumResponseBytes = maximumResponseBytes }

    /// Decodes the URL.
    ///
    /// - Throws: ``ImageError``: `unsupportedScheme`, `invalidRequest` for a URL that is malformed, `tooLarge`.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        let source = ImageSource.redacted(request.url)
        let text = request.url.absoluteString
        guard text.utf8.count >= 5, text.prefix(5).lowercased() == "data:" else {
            throw ImageError(.unsupportedScheme, message: "\(source) is not a data URL.")
        }
        let limit = request.maximumResponseBytes ?? maximumResponseBytes
        let rest = text.utf8.dropFirst(5)
        let end = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
        guard let comma = rest[..<end].firstIndex(of: UInt8(ascii: ",")) else {
            throw ImageError(.invalidRequest, message: "\(source) has no comma between its media type and its data.")
        }
        let payload = rest[rest.index(after: comma)..<end]
        // Four characters of base64, each percent-encoded, make three bytes. White space counts too.
        guard payload.count / 8 <= limit else { throw ImageError.tooLarge(source, announced: nil, limit: limit) }
        let bytes = PercentEncoding.decode(payload)
        // A URL encodes its blanks.
        var mediaType = String(String(decoding: PercentEncoding.decode(rest[..<comma]), as: UTF8.self).trimmed)
        var data = Data(bytes)
        let start = mediaType.lowercased().hasSuffix("base64") ? mediaType.dropLast(6).trimmed : ""
        if start.hasSuffix(";") {
            mediaType = String(start.dropLast().trimmed)
            guard let decoded = Base64.decode(bytes) else {
                throw ImageError(.invalidRequest, message: "\(source) does not hold valid base64.")
            }
            data = decoded
        }
        guard data.count <= limit else { throw ImageError.tooLarge(source, announced: data.count, limit: limit) }
        var head = HTTPResponse(status: .ok)
        if mediaType.hasPrefix(";") { mediaType = "text/plain" + mediaType }
        // RFC 2397, section 2: what an omitted media type means.
        head.headerFields[.contentType] = mediaType.contains("/") ? mediaType : "text/plain;charset=US-ASCII"
        return DataResponse(url: request.url, head: head, body: ByteStream(data))
    }
}

/// Base64 (RFC 4648, sections 4 and 5) with white space allowed.
enum Base64 {
    /// The bytes; `nil` for other characters, wrong padding, or a length that no bytes have.
    static func decode(_ text: [UInt8]) -> Data? {
        var characters = text.filter { $0 != 0x20 && !(0x09...0x0D ~= $0) }.map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        // Foundation accepts any amount of padding.
        guard padding == 0 || padding <= 2 && characters.count % 4 == 0 else { return nil }
        while padding == 0, characters.count % 4 != 0 { characters.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(characters))
    }
}
