internal import HTTPTypes
internal import ImageCore

/// A body that lies in a file, with the head that came before it. Any number of loads may read it at a time.
final class FinishedDownload: Sendable {
    let head: SessionTransfer.Head
    /// Bytes of the body, from the start of the file on.
    let count: Int
    private let file: DownloadedFile
    private let onRead: @Sendable () -> Void

    /// - Parameter onRead: called when somebody has read all of it.
    init(_ file: DownloadedFile, count: Int, _ head: SessionTransfer.Head, onRead: @escaping @Sendable () -> Void) {
        (self.file, self.count, self.head, self.onRead) = (file, count, head, onRead)
    }

    /// The answer to a request, its body in pieces; at once where it is one.
    ///
    /// - Parameter source: the request's URL, as errors name it.
    func response(piece: Int, source: String) throws -> DataResponse {
        let body: ByteStream
        if count <= piece {
            body = ByteStream(try read(count, at: 0, source))
            onRead()
        } else {
            let place = Lock(0)
            body = ByteStream { [self] in
                try Task.checkCancellation()
                let start = place.withLock { $0 }
                guard start < count else { return nil }
                let chunk = try read(min(piece, count - start), at: start, source)
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
