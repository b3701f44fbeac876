internal import HTTPTypes
internal import ImageCore

/// The head of a response as it comes off the wire, line by line, and what it means (RFC 9112).
///
/// The loop's thread only gathers the bytes and looks at what steers the transfer; the fields become values on the task
/// that asked for them.
struct ResponseHead: Equatable, Sendable {
    /// The most that a head may take, in bytes, and in fields.
    static let largest = 256 << 10
    static let mostFields = 1000

    private(set) var bytes: [UInt8] = []
    private(set) var status = 0
    /// The first value of `Content-Length`, where it is a number.
    private(set) var contentLength: Int?
    private(set) var location: String?
    private(set) var isWhole = false

    enum Progress: Equatable {
        case more, whole, tooLarge
    }

    /// Takes the next line with its line end. A status line begins the head anew: interim responses come before the final one.
    mutating func append(_ line: UnsafeBufferPointer<UInt8>) -> Progress {
        if unsafe line.starts(with: "HTTP/".utf8) {
            self = ResponseHead()
            status = unsafe Self.status(in: line)
        }
        guard bytes.count + line.count <= Self.largest else { return .tooLarge }
        unsafe bytes.append(contentsOf: line)
        guard let first = unsafe line.first else { return .more }
        switch first {
        case 0x0D, 0x0A:
            isWhole = true
            return .whole
        case UInt8(ascii: "C"), UInt8(ascii: "c"):
            if contentLength == nil, let value = unsafe Self.value(of: "content-length", in: line) {
                contentLength = Int(value).flatMap { $0 >= 0 ? $0 : nil }
            }
        case UInt8(ascii: "L"), UInt8(ascii: "l"):
            if location == nil { location = unsafe Self.value(of: "location", in: line) }
        default: break
        }
        return .more
    }

    /// Whether another response follows this one.
    var isInterim: Bool { 100..<200 ~= status }

    /// Where the server sends the client (RFC 9110, section 15.4); `nil` for every other answer.
    var redirect: String? {
        [301, 302, 303, 307, 308].contains(status) ? location.flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// The head as a value; `nil` when it has too many fields. A line that is no field is left out.
    func parsed() -> HTTPResponse? {
        var response = HTTPResponse(status: HTTPResponse.Status(code: status, reasonPhrase: ""))
        var fields: [HTTPField] = []
        var count = 0
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            let line = bytes[start..<end]
            start = end + 1
            count += 1
            guard count <= Self.mostFields else { return nil }
            if count == 1 {
                response.status = HTTPResponse.Status(code: status, reasonPhrase: Self.reason(in: line))
            } else if let first = line.first, first == 0x20 || first == 0x09, let last = fields.indices.last {
                // A folded line (RFC 9112, section 5.2) goes on with the value of the line before.
                fields[last].value += " " + String(decoding: Self.trimmed(line), as: UTF8.self)
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = FieldNames.name(line[..<colon]) {
                fields.append(HTTPField(name: name, value: Self.trimmed(line[(colon + 1)...])))
            }
        }
        guard count > 0 else { return nil }
        response.headerFields = HTTPFields(fields)
        return response
    }

    private static func reason(in line: ArraySlice<UInt8>) -> String {
        let afterVersion = line.drop { $0 != 0x20 }.dropFirst()
        return String(decoding: trimmed(afterVersion.drop { $0 != 0x20 }), as: UTF8.self)
    }

    private static func status(in line: UnsafeBufferPointer<UInt8>) -> Int {
        let digits = unsafe line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix(3)
        guard unsafe digits.count == 3, unsafe digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return 0 }
        return unsafe digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func value(of name: StaticString, in line: UnsafeBufferPointer<UInt8>) -> String? {
        let count = name.utf8CodeUnitCount
        guard line.count > count, unsafe line[count] == UInt8(ascii: ":") else { return nil }
        for index in 0..<count where unsafe line[index] | 0x20 != name.utf8Start[index] | 0x20 { return nil }
        return unsafe String(decoding: trimmed(line[(count + 1)...]), as: UTF8.self)
    }

    private static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence
    where Bytes.SubSequence: BidirectionalCollection {
        var rest = bytes[...]
        while let first = rest.first, first <= 0x20 { rest = rest.dropFirst() }
        while let last = rest.last, last <= 0x20 { rest = rest.dropLast() }
        return rest
    }
}

/// The names of common response fields, so that they need not be made anew for every response.
private enum FieldNames {
    static func name(_ bytes: ArraySlice<UInt8>) -> HTTPField.Name? {
        if bytes.count < common.count {
            for (text, name) in common[bytes.count] where zip(bytes, text).allSatisfy({ $0 | 0x20 == $1 }) { return name }
        }
        return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
    }

    /// By the length of the name; in lower case, where `-` stays what it is.
    private static let common: [[(text: [UInt8], name: HTTPField.Name)]] = {
        let names: [HTTPField.Name] = [
            .acceptRanges, .age, .cacheControl, .connection, .contentEncoding, .contentLength, .contentRange, .contentType,
            .date, .eTag, .expires, .lastModified, .location, .retryAfter, .server, .setCookie, .strictTransportSecurity,
            .transferEncoding, .vary, .via, .xContentTypeOptions,
        ]
        var table: [[(text: [UInt8], name: HTTPField.Name)]] = Array(repeating: [], count: 32)
        for name in names { table[name.canonicalName.utf8.count].append((Array(name.canonicalName.utf8), name)) }
        return table
    }()
}
