internal import HTTPTypes
package import ImageCore

extension DataResponse {
    /// The response of a server that serves ranges of a body of a million bytes, and breaks each response after 20,000
    /// bytes.
    ///
    /// - Parameter failure: called after these bytes; returns the error of the body.
    package static func interrupted(
        _ request: DataRequest, failure: @escaping @Sendable () async throws -> any Error
    ) -> DataResponse {
        let start = request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
        var head = HTTPResponse(
            status: start > 0 ? .partialContent : .ok,
            headerFields: [.eTag: "\"v1\"", .acceptRanges: "bytes", .contentLength: "\(1_000_000 - start)"])
        if start > 0 { head.headerFields[.contentRange] = "bytes \(start)-999999/1000000" }
        let chunks = Lock([Data(count: 20_000)])
        return DataResponse(
            url: request.url, head: head,
            body: ByteStream {
                if let chunk = chunks.withLock({ $0.popLast() }) { return chunk }
                throw try await failure()
            })
    }
}
