internal import Foundation
internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking

/// Which requests a background session may send, and which of them are the same.
enum BackgroundRule {
    /// Neutral fields that must not be given to a session that follows redirects and resumes by itself.
    private static let rejected: Set<String> = ["host", "range", "if-range", "expect"]

    /// Fields that differ with each request and do not change the response.
    private static let ignored: Set<String> = [
        "connection", "date", "priority", "via", "traceparent", "tracestate", "x-request-id", "x-correlation-id",
    ]

    /// The key of a finished download, 64 hexadecimal digits that do not reveal the URL; `nil` for a request that a
    /// background session must not send.
    static func key(of request: DataRequest) -> String? {
        guard request.method == .get, request.body == nil, request.url.user == nil, request.url.password == nil,
            request.identities.isEmpty
        else {
            return nil
        }
        var parts = [request.resource.text]
        for field in request.headerFields {
            let name = field.name.canonicalName
            guard RequestFields.neutral.contains(name), !rejected.contains(name) else { return nil }
            if !ignored.contains(name) { parts.append("\(name):\(field.value)") }
        }
        parts[1...].sort()
        // Each part is preceded by its length, so that no two lists run together.
        return SHA256.hexDigest(of: parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
    }

    static func isKey(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Whether the request may get a finished download.
    static func mayBeAnswered(_ request: DataRequest) -> Bool {
        request.cachePolicy.readsDisk && !request.cachePolicy.revalidatesDisk
    }

    /// Whether a response may be stored for a later load: a successful one without `no-store` (RFC 9111, section
    /// 5.2.2.5).
    static func mayBeKept(_ response: HTTPResponse) -> Bool {
        response.status.kind == .successful && !response.headerFields.forbidStorage
    }

    /// Whether the request may start a transfer, whose body is stored on disk for a while.
    static func mayBegin(_ request: DataRequest) -> Bool {
        request.purpose == .prefetch && request.cachePolicy.isSuperset(of: .diskOnly) && !request.cachePolicy.isOnlyIfCached
    }
}
