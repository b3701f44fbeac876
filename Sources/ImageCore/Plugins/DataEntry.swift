public import HTTPTypes

/// Bytes in a data cache, and the head of the response that they came with.
public struct DataEntry: Sendable {
    /// The bytes.
    public var data: Data
    /// The status and the header fields of the response.
    public var head: HTTPResponse
    /// When the response arrived, in seconds since 1970.
    public var storedAt: Double

    /// Creates an entry, by default with the status 200 and no header fields.
    public init(data: Data, head: HTTPResponse = HTTPResponse(status: .ok), storedAt: Double) {
        (self.data, self.head, self.storedAt) = (data, head, storedAt)
    }
}
