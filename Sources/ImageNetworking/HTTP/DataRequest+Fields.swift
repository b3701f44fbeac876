package import HTTPTypes
package import ImageCore

extension DataRequest {
    /// The header fields that a transport sends: those of the request, the credentials of its URL, and its priority
    /// (RFC 9218), unless the caller sets that field.
    package var transportFields: HTTPFields {
        var fields = headerFields
        if fields[.authorization] == nil { fields[.authorization] = (try? WebAddress(url))?.basicAuthorization }
        if fields[.priority] == nil, let urgency = priority.urgency { fields[.priority] = "u=\(urgency)" }
        return fields
    }
}

extension LoadPriority {
    /// RFC 9218, section 4.1; `nil` for its default, 3, which needs no field.
    fileprivate var urgency: Int? {
        switch self {
        case .veryHigh: 1
        case .high: 2
        case .normal: nil
        case .low: 5
        case .veryLow: 7
        }
    }
}
