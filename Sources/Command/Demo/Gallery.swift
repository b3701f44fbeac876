internal import CCalotypeGallery
internal import ImageCore
internal import LoopbackHTTP

/// The image files embedded in the binary, and a server for them.
enum Gallery {
    /// All files, sorted by name, such as `dunes.jpg`.
    static var files: [(name: String, bytes: [UInt8])] {
        (0..<clt_gallery_count()).map { index in
            let file = unsafe clt_gallery_at(index)
            return unsafe (String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }

    /// Starts an HTTP server on this machine that serves each file under its name.
    static func serve() throws(SocketError) -> LoopbackServer {
        let files = Dictionary(uniqueKeysWithValues: files.map { ("/" + $0.name, $0) })
        return try LoopbackServer(serving: { request in
            guard let file = files[request.path] else { return LoopbackServer.Response(404) }
            let mediaType = ImageFormat(fileName: file.name)?.mediaType ?? "application/octet-stream"
            return LoopbackServer.Response(
                200, headers: [("Content-Type", mediaType), ("Cache-Control", "max-age=3600")], body: file.bytes)
        })
    }
}
