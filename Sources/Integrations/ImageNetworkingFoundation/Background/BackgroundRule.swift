internal import Foundation
internal import HTTPTypes
internal import ImageCore

/// Which requests a background session may make, and which of them are the same.
enum BackgroundRule {
    /// Neutral, but not for a session that follows redirects and resumes by itself.
    private static let refused: Set<String> = ["host", "range", "if-range", "expect"]

    /// Other with each request, and without influence on the answer.
    private static let untold: Set<String> = [
        "connection", "date", "priority", "via", "traceparent", "tracestate", "x-request-id", "x-correlation-id",
    ]

    /// What a finished download of the request is known by, 64 hexadecimal digits that tell nothing of the URL; `nil` for a
    /// request that never goes that way.
    static func key(of request: DataRequest) -> String? {
        guard request.method == .get, request.body == nil, request.url.user == nil, request.url.password == nil else {
            return nil
        }
        var parts = [request.url.absoluteString]
        for field in request.headerFields {
            let name = field.name.canonicalName
            guard RequestFields.neutral.contains(name), !refused.contains(name) else { return nil }
            if !untold.contains(name) { parts.append("\(name):\(field.value)") }
        }
        parts[1...].sort()
        // Each part is preceded by its length, so that no two lists run together.
        return SHA256.hexDigest(of: parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
    }

    static func isKey(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Whether a finished download may answer.
    static func mayBeAnswered(_ request: DataRequest) -> Bool { request.cachePolicy.readsDisk }

    /// Whether a later load may be answered by a response. What is no success is asked for anew, and so is what the server
    /// wants stored by nobody (RFC 9111, section 5.2.2.5).
    static func mayBeKept(_ response: HTTPResponse) -> Bool {
        let directives = response.headerFields[.cacheControl]?.lowercased().split(separator: ",") ?? []
        return response.status.kind == .successful
            && !directives.contains { $0.trimmingCharacters(in: .whitespaces) == "no-store" }
    }

    /// Whether the request may begin a transfer, whose body is kept on disk for a while.
    static func mayBegin(_ request: DataRequest) -> Bool {
        request.purpose == .prefetch && request.cachePolicy.isSuperset(of: .diskOnly) && !request.cachePolicy.isOnlyIfCached
    }
}
