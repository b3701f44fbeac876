internal import HTTPTypes
internal import ImageCore

/// The status line and header fields of a response, received line by line (RFC 9112).
struct ResponseHeaders: Equatable, Sendable {
    /// With those of interim responses, and trailers.
    static let maximumBytes = 256 << 10
    static let maximumFields = 1000
    private static let usualFields = 16
    private static let statusLineStart = Array("HTTP/".utf8)

    /// 0 for a status line without three digits.
    private(set) var status = 0
    private var reason = ""
    private var fields = HTTPFields()
    /// Lines that continue a field count too, since each one copies the value so far.
    private var fieldLineCount = 0
    private(set) var isComplete = false
    private var byteCount = 0
    /// The value of `Content-Length` once the headers are complete; `nil` without one.
    private(set) var contentLength: Int?
    /// Whether `Content-Length` is not a number, or several numbers.
    private(set) var hasBadLength = false
    private(set) var setsCookie = false
    /// Percent-encoded where it is no part of a URL.
    private var location: String?

    enum Progress: Equatable {
        case incomplete, complete, tooLarge
    }

    /// Takes the next line with its line end. A status line starts over: interim responses come before the final one.
    /// Trailers count towards the limit and are not kept. Lines that are not fields are left out.
    mutating func append(_ line: some RandomAccessCollection<UInt8>) -> Progress {
        let isStatusLine = (!isComplete || isInterim) && line.starts(with: Self.statusLineStart)
        let byteCount = byteCount + line.count
        if isStatusLine { self = ResponseHeaders(statusLine: line) }
        self.byteCount = byteCount
        guard byteCount <= Self.maximumBytes else { return .tooLarge }
        if let first = line.first, first == 0x0D || first == 0x0A {
            if !isComplete { complete() }
            return .complete
        }
        if !isComplete, !isStatusLine { appendField(line) }
        return .incomplete
    }

    init() {}

    private init(statusLine line: some RandomAccessCollection<UInt8>) {
        fields.reserveCapacity(Self.usualFields)
        let code = Self.trimmed(line).drop { $0 != 0x20 }.drop { $0 == 0x20 }
        let digits = code.prefix { 0x30...0x39 ~= $0 }
        let rest = code[digits.endIndex...]
        guard digits.count == 3, rest.first ?? 0x20 == 0x20 else { return }
        status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        reason = String(decoding: rest.dropFirst(), as: UTF8.self)
    }

    private mutating func appendField(_ line: some RandomAccessCollection<UInt8>) {
        fieldLineCount += 1
        guard !hasTooManyFields else { return }
        if let first = line.first, first == 0x20 || first == 0x09 {
            // A folded line (RFC 9112, section 5.2) continues the value of the line before.
            guard let last = fields.indices.last else { return }
            fields[last].value += " " + String(decoding: Self.trimmed(line), as: UTF8.self)
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        {
            // A value need not be UTF-8. HTTPField stores bytes more slowly than text.
            let value = Self.trimmed(line[colon...].dropFirst())
            let isText = value.allSatisfy { $0 < 0x80 }
            fields.append(
                isText
                    ? HTTPField(name: name, value: String(decoding: value, as: UTF8.self)) : HTTPField(name: name, value: value))
        }
    }

    /// Reads the fields that decide what happens next in one pass, because `HTTPFields` builds an index at the first
    /// access by name.
    private mutating func complete() {
        isComplete = true
        for field in fields {
            switch field.name {
            case .contentLength:
                let length = ContentLength.bytes(of: field.value)
                hasBadLength = hasBadLength || length == nil || length != contentLength ?? length
                contentLength = length
            case .setCookie: setsCookie = true
            case .location where location == nil:
                location = unsafe field.withUnsafeBytesOfValue { unsafe URL.percentEncodingInvalidBytes(of: $0) }
            default: break
            }
        }
    }

    /// The content codings of the body, in the order in which they were applied (RFC 9110, section 8.4).
    var codings: [String] {
        let names = fields[.contentEncoding]?.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" } ?? []
        return names.filter { $0 != "identity" && $0 != "none" }.map(String.init)
    }

    /// Whether only libcurl can undo a content coding of the body. An unknown one, such as the `aws-chunked` that
    /// object stores keep from an upload, is ignored, as browsers do.
    var needsLibraryToDecode: Bool {
        let codings = Set(codings)
        return codings.isSubset(of: ["gzip", "x-gzip", "deflate", "br", "zstd"]) && !codings.isDisjoint(with: ["br", "zstd"])
    }

    /// Removes what describes the coded bytes of a body that is decoded.
    mutating func removeContentCoding() {
        if !codings.isEmpty { (fields[.contentLength], contentLength) = (nil, nil) }
        fields[.contentEncoding] = nil
    }

    private static func trimmed<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        guard let first = bytes.firstIndex(where: { $0 > 0x20 }), let last = bytes.lastIndex(where: { $0 > 0x20 }) else {
            return bytes.prefix(0)
        }
        return bytes[first...last]
    }

    /// The status and the fields as a value.
    var response: HTTPResponse {
        HTTPResponse(status: HTTPResponse.Status(code: status, reasonPhrase: reason), headerFields: fields)
    }

    var hasTooManyFields: Bool { fieldLineCount > Self.maximumFields }

    /// Whether another response follows this one.
    var isInterim: Bool { 100..<200 ~= status }

    /// The target of a redirect (RFC 9110, section 15.4); `nil` for other responses.
    var redirect: String? {
        switch status {
        case 301, 302, 303, 307, 308: location.flatMap { $0.isEmpty ? nil : $0 }
        default: nil
        }
    }
}
