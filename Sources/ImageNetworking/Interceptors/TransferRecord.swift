public import ImageCore

/// What happened in one fetch, recorded when its body has ended.
public struct TransferRecord: Sendable, Hashable, CustomStringConvertible {
    /// How a fetch ended.
    public enum Ending: Sendable, Hashable {
        /// The body was read to its end.
        case whole
        /// The task was cancelled, or the body dropped before its end.
        case cancelled
        /// The fetch failed; the code is `nil` for an error of a plug-in.
        case failed(ImageError.Code?)
    }

    /// The method of the request.
    public var method: String
    /// The requested URL, without credentials, and without the values of its query unless they are to be shown.
    public var url: String
    /// The status code; `nil` without a response.
    public var status: Int?
    /// Bytes of the body that the reader got.
    public var receivedBytes = 0
    /// From the start of the fetch to its end, including the interceptors inside this one.
    public var total: Duration = .zero
    /// The time of each step until the response headers, if the network layer measures it.
    public var timing: TransferTiming?
    /// How the fetch ended.
    public var ending: Ending = .whole

    /// Such as `GET https://example.org/a.png: 200, 12034 bytes in 0.213 s`.
    public var description: String {
        let what =
            switch ending {
            case .whole: "\(receivedBytes) bytes"
            case .cancelled: "cancelled after \(receivedBytes) bytes"
            case .failed(let code): "failed with \(code.map(\.name) ?? "a plug-in's error") after \(receivedBytes) bytes"
            }
        return "\(method) \(url): \(status.map { "\($0), " } ?? "")\(what) in \(total.inSeconds)"
    }
}
