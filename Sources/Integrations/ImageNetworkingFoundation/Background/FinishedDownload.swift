internal import Foundation
internal import HTTPTypes
internal import ImageCore

/// The response of a download, with its whole body.
struct FinishedDownload: Sendable {
    let head: SessionTransfer.Head
    let body: Data

    init(_ head: SessionTransfer.Head, body: Data) { (self.head, self.body) = (head, body) }

    var response: DataResponse { DataResponse(url: head.url, head: head.response, body: ByteStream(body)) }
}

// The form in a cache: the URL after redirects is one more header field.
extension FinishedDownload {
    private static let urlField = HTTPField.Name("Calotype-URL") ?? .location

    /// The key of the download of a request with this ``BackgroundRule/key(of:)``.
    static func dataKey(_ key: String) -> DataKey { DataKey(resource: ResourceKey(key), variant: "background") }

    /// - Parameter now: in seconds since 1970.
    func entry(now: Double) -> DataEntry {
        var response = head.response
        response.headerFields[Self.urlField] = head.url.absoluteString
        return DataEntry(data: body, head: response, storedAt: now)
    }

    /// Reads an entry; `nil` unless ``entry(now:)`` made it. The response has aged since it was stored (RFC 9111,
    /// section 5.1).
    init?(_ entry: DataEntry, now: Double) {
        var response = entry.head
        guard let url = response.headerFields[Self.urlField].flatMap({ URL(string: $0) }) else { return nil }
        response.headerFields[Self.urlField] = nil
        let age = Int(max(0, min(now - entry.storedAt, 1e9)))
        if age > 0 { response.headerFields[.age] = "\(age + (response.headerFields[.age].flatMap { Int($0) } ?? 0))" }
        self.init(SessionTransfer.Head(url: url, response: response), body: entry.data)
    }
}
