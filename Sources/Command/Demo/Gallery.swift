internal import ImageCore
internal import LoopbackHTTP

/// The image files embedded in the binary, and a server for them.
enum Gallery {
    /// All files, sorted by name, such as `dunes.jpg`.
    static let files: [(name: String, bytes: [UInt8])] = [
        ("arrow.jpg", PackageResources.arrow_jpg),
        ("badge.png", PackageResources.badge_png),
        ("chart.png", PackageResources.chart_png),
        ("dunes.jpg", PackageResources.dunes_jpg),
        ("glass.webp", PackageResources.glass_webp),
        ("iris16.png", PackageResources.iris16_png),
        ("julia.avif", PackageResources.julia_avif),
        ("marble.jpg", PackageResources.marble_jpg),
        ("nebula.avif", PackageResources.nebula_avif),
        ("plasma10.avif", PackageResources.plasma10_avif),
        ("tiles.webp", PackageResources.tiles_webp),
        ("voronoi.webp", PackageResources.voronoi_webp),
    ]

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
