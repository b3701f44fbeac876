internal import HTTPTypes
internal import ImageCore

/// A response whose body is in a file. Several loads may read it at the same time.
final class FinishedDownload: Sendable {
    let head: SessionTransfer.Head
    /// The length of the body, which is at the start of the file, in bytes.
    let count: Int
    private let file: DownloadedFile
    private let onRead: @Sendable () -> Void

    /// - Parameter onRead: called when a load has read the whole body.
    init(_ file: DownloadedFile, count: Int, _ head: SessionTransfer.Head, onRead: @escaping @Sendable () -> Void) {
        (self.file, self.count, self.head, self.onRead) = (file, count, head, onRead)
    }

    /// The response to a request, its body in chunks; a body of one chunk is read at once.
    ///
    /// - Parameter source: the request's URL, as errors name it.
    func response(chunkBytes: Int, source: String) throws -> DataResponse {
        let body: ByteStream
        if count <= chunkBytes {
            body = ByteStream(try read(count, at: 0, source))
            onRead()
        } else {
            let place = Lock(0)
            body = ByteStream { [self] in
                try Task.checkCancellation()
                let start = place.withLock { $0 }
                guard start < count else { return nil }
                let chunk = try read(min(chunkBytes, count - start), at: start, source)
                place.withLock { $0 = start + chunk.count }
                if start + chunk.count == count { onRead() }
                return chunk
            }
        }
        return DataResponse(url: head.url, head: head.response, body: body)
    }

    private func read(_ count: Int, at offset: Int, _ source: String) throws(ImageError) -> Data {
        if let data = file.read(count, at: offset) { return data }
        throw ImageError(
            .connectionLost, message: "The file that \(source) was downloaded to became shorter; load it again.")
    }
}
