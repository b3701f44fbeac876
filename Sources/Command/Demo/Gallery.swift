internal import CCalotypeGallery
internal import ImageCore
internal import LoopbackHTTP

/// The images inside the binary, and a server of them.
enum Gallery {
    struct Picture: Sendable {
        /// A file name, such as `dunes.jpg`.
        let name: String
        let bytes: [UInt8]
    }

    /// All images, by name.
    static var pictures: [Picture] {
        (0..<clt_gallery_count()).map { index in
            let file = unsafe clt_gallery_at(index)
            return unsafe Picture(
                name: String(cString: file.name), bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }

    /// An HTTP server on this machine with each image under its name.
    static func serve() throws(SocketError) -> LoopbackServer {
        let pictures = Dictionary(uniqueKeysWithValues: pictures.map { ("/" + $0.name, $0) })
        return try LoopbackServer(serving: { request in
            guard let picture = pictures[request.path] else { return LoopbackServer.Response(404) }
            let format = ImageFormat(fileName: picture.name)?.mediaType ?? "application/octet-stream"
            return LoopbackServer.Response(
                200, headers: [("Content-Type", format), ("Cache-Control", "max-age=3600")], body: picture.bytes)
        })
    }
}
