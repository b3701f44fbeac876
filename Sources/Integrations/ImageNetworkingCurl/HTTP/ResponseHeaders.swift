internal import HTTPTypes
internal import ImageCore

/// The status line and header fields of a response, received line by line (RFC 9112).
struct ResponseHeaders: Equatable, Sendable {
    /// Trailers included.
    static let maximumBytes = 256 << 10
    static let maximumFields = 1000
    /// Memory up to this size is kept for the next response, in bytes.
    private static let maximumKeptBytes = 4 << 10

    private(set) var bytes: [UInt8] = []
    private(set) var status = 0
    /// The value of `Content-Length`, if it is a number.
    private(set) var contentLength: Int?
    /// Whether it is something else, or several numbers.
    private(set) var hasBadLength = false
    private(set) var location: String?
    private(set) var isComplete = false

    enum Progress: Equatable {
        case incomplete, complete, tooLarge
    }

    /// Takes the next line with its line end. A status line starts over: interim responses come before the final one. In
    /// trailers of the final response it has no meaning.
    mutating func append(_ line: UnsafeBufferPointer<UInt8>) -> Progress {
        guard let first = unsafe line.first else { return .incomplete }
        if first == UInt8(ascii: "H"), !isComplete || isInterim, unsafe line.starts(with: Self.protocolName) {
            clear()
            status = unsafe Self.status(in: line)
        }
        guard bytes.count + line.count <= Self.maximumBytes else { return .tooLarge }
        unsafe bytes.append(contentsOf: line)
        switch first {
        case 0x0D, 0x0A:
            isComplete = true
            return .complete
        case UInt8(ascii: "C"), UInt8(ascii: "c"):
            if let value = unsafe Self.value(of: "content-length", in: line) {
                let length = ContentLength.bytes(of: value)
                hasBadLength = hasBadLength || length == nil || contentLength.map { $0 != length } ?? false
                contentLength = length
            }
        case UInt8(ascii: "L"), UInt8(ascii: "l"):
            if location == nil { location = unsafe Self.value(of: "location", in: line) }
        default: break
        }
        return .incomplete
    }

    private static let protocolName = Array("HTTP/".utf8)

    /// Removes and overwrites everything, since it may have held a cookie.
    mutating func clear() {
        if !bytes.isEmpty {
            unsafe bytes.withUnsafeMutableBufferPointer { unsafe $0.update(repeating: 0) }
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.maximumKeptBytes)
        }
        (status, contentLength, hasBadLength, location, isComplete) = (0, nil, false, nil, false)
    }

    /// Whether another response follows this one.
    var isInterim: Bool { 100..<200 ~= status }

    /// The target of a redirect (RFC 9110, section 15.4); `nil` for other responses.
    var redirect: String? {
        switch status {
        case 301, 302, 303, 307, 308: location.flatMap { $0.isEmpty ? nil : $0 }
        default: nil
        }
    }

    /// The headers as a value; `nil` when there are too many fields. Lines that are not fields are left out.
    func parsed() -> HTTPResponse? { unsafe bytes.withUnsafeBufferPointer { unsafe Self.parsed($0, status: status) } }

    private static func parsed(_ bytes: UnsafeBufferPointer<UInt8>, status: Int) -> HTTPResponse? {
        guard !bytes.isEmpty else { return nil }
        let statusEnd = unsafe lineEnd(in: bytes, from: 0)
        var response = HTTPResponse(
            status: HTTPResponse.Status(
                code: status, reasonPhrase: unsafe reason(in: UnsafeBufferPointer(rebasing: bytes[..<statusEnd]))))
        response.headerFields.reserveCapacity(16)
        var lines = 1
        var start = statusEnd + 1
        while start < bytes.count {
            let end = unsafe lineEnd(in: bytes, from: start)
            let line = unsafe UnsafeBufferPointer(rebasing: bytes[start..<end])
            start = end + 1
            guard lines < maximumFields else { return nil }
            lines += 1
            if let first = unsafe line.first, first == 0x20 || first == 0x09, let last = response.headerFields.indices.last {
                // A folded line (RFC 9112, section 5.2) continues the value of the line before.
                let rest = unsafe String(decoding: trimmed(line[...]), as: UTF8.self)
                let begun = response.headerFields[last].value
                response.headerFields[last].value = "\(begun) \(rest)"
            } else if let field = unsafe field(line) {
                response.headerFields.append(field)
            }
        }
        return response
    }

    /// The field that a line holds, without its line end; `nil` where it is none.
    static func field(_ line: UnsafeBufferPointer<UInt8>) -> HTTPField? {
        guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")),
            let name = unsafe FieldNames.name(UnsafeBufferPointer(rebasing: line[..<colon]))
        else { return nil }
        return unsafe HTTPField(name, trimmed(line[(colon + 1)...]))
    }

    static func lineEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var end = start
        while end < bytes.count, unsafe bytes[end] != 0x0A { end += 1 }
        return end
    }

    private static func reason(in line: UnsafeBufferPointer<UInt8>) -> String {
        let afterVersion = unsafe line.drop { $0 != 0x20 }.dropFirst()
        return unsafe String(decoding: trimmed(afterVersion.drop { $0 != 0x20 }), as: UTF8.self)
    }

    private static func status(in line: UnsafeBufferPointer<UInt8>) -> Int {
        let digits = unsafe line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix(3)
        guard unsafe digits.count == 3, unsafe digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return 0 }
        return unsafe digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func value(of name: StaticString, in line: UnsafeBufferPointer<UInt8>) -> String? {
        let count = name.utf8CodeUnitCount
        guard line.count > count, unsafe line[count] == UInt8(ascii: ":") else { return nil }
        for index in 0..<count where unsafe !line[index].isLetter(name.utf8Start[index]) { return nil }
        return unsafe String(decoding: trimmed(line[(count + 1)...]), as: UTF8.self)
    }

    private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UnsafeBufferPointer<UInt8> {
        var rest = unsafe bytes
        while let first = unsafe rest.first, first <= 0x20 { unsafe rest.removeFirst() }
        while let last = unsafe rest.last, last <= 0x20 { unsafe rest.removeLast() }
        return unsafe UnsafeBufferPointer(rebasing: rest)
    }
}

extension HTTPField {
    /// ASCII becomes a string directly; other bytes are kept as they are.
    fileprivate init(_ name: Name, _ value: UnsafeBufferPointer<UInt8>) {
        if unsafe value.allSatisfy({ $0 < 0x80 }) {
            self.init(name: name, value: unsafe String(decoding: value, as: UTF8.self))
        } else {
            self.init(name: name, value: unsafe Array(value))
        }
    }
}

/// The names of common response fields, made once.
private enum FieldNames {
    static func name(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPField.Name? {
        if bytes.count < common.count {
            for index in common[bytes.count].indices where unsafe matches(bytes, common[bytes.count][index].text) {
                return common[bytes.count][index].name
            }
        }
        return HTTPField.Name(unsafe String(decoding: bytes, as: UTF8.self))
    }

    private static func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ text: [UInt8]) -> Bool {
        for index in 0..<bytes.count where unsafe !bytes[index].isLetter(text[index]) { return false }
        return true
    }

    /// By the length of the name; in lower case.
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

extension UInt8 {
    /// Whether it equals `lowercase`; letters match in either case.
    fileprivate func isLetter(_ lowercase: UInt8) -> Bool {
        self == lowercase || self | 0x20 == lowercase && 0x61...0x7A ~= lowercase
    }
}
