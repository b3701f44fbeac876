internal import HTTPTypes
internal import ImageCore

/// The format of the status and the header fields in a cache entry, in their order.
///
/// ```
/// u16 status, u16 number of fields, and for each field: u16 length of the name, u32 length of the value, name, value
/// ```
enum ResponseHeaderCoding {
    /// Larger response headers are not stored; servers and clients reject far smaller ones.
    static let maximumSize = 1 << 20

    /// The bytes; `nil` if the response headers do not fit the format.
    static func encode(_ head: HTTPResponse) -> [UInt8]? {
        guard let count = UInt16(exactly: head.headerFields.count), let status = UInt16(exactly: head.status.code) else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: status)
        bytes.append(littleEndian: count)
        for field in head.headerFields {
            let name = field.name.rawName.utf8
            guard let nameLength = UInt16(exactly: name.count) else { return nil }
            bytes.append(littleEndian: nameLength)
            unsafe field.withUnsafeBytesOfValue { value in
                bytes.append(littleEndian: UInt32(clamping: value.count))
                bytes.append(contentsOf: name)
                unsafe bytes.append(contentsOf: value)
            }
            guard bytes.count <= maximumSize else { return nil }
        }
        return bytes
    }

    /// The response headers; `nil` if the bytes are malformed.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> HTTPResponse? {
        guard bytes.count >= 4 else { return nil }
        let status = unsafe Int(bytes.littleEndian(at: 0, as: UInt16.self))
        let count = unsafe Int(bytes.littleEndian(at: 2, as: UInt16.self))
        guard (100...999).contains(status) else { return nil }
        var fields = HTTPFields()
        var at = 4
        for _ in 0..<count {
            guard bytes.count - at >= 6 else { return nil }
            let nameLength = unsafe Int(bytes.littleEndian(at: at, as: UInt16.self))
            let valueLength = unsafe Int(bytes.littleEndian(at: at + 2, as: UInt32.self))
            at += 6
            guard bytes.count - at >= nameLength + valueLength else { return nil }
            let (nameEnd, valueEnd) = (at + nameLength, at + nameLength + valueLength)
            let text = unsafe String(decoding: bytes[at..<nameEnd], as: UTF8.self)
            guard let name = HTTPField.Name(text) else { return nil }
            unsafe fields.append(HTTPField(name: name, value: UnsafeRawBufferPointer(rebasing: bytes[nameEnd..<valueEnd])))
            at = valueEnd
        }
        return at == bytes.count ? HTTPResponse(status: .init(code: status), headerFields: fields) : nil
    }
}
