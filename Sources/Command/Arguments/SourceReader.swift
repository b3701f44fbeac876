internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking
internal import ImageNetworkingCurl

/// Gets the bytes of a source, without the engine: for commands that look at one file.
final class SourceReader: Sendable {
    private let loader = Lock<SchemeRouter?>(nil)

    /// It keeps a thread and a large library, of which a local file has no need: it is made for the first source that has.
    private var network: SchemeRouter {
        loader.withLock { loader in
            let made = loader ?? .standard(network: CurlLoader())
            loader = made
            return made
        }
    }

    /// The whole file, with a progress bar on a terminal while it is fetched. Of a local one no more is read than is looked
    /// at.
    ///
    /// - Throws: ``ImageError``, also for an HTTP status other than success.
    func bytes(of source: SourceArgument) async throws -> Data {
        if let path = source.path { return try FileLoader(maximumBytes: .max).contents(ofFile: path) }
        let url = source.url
        if url.isFileURL { return try FileLoader(maximumBytes: .max).contents(of: url) }
        let bars = Console.showsProgress ? ProgressBars(total: 1) : nil
        defer { bars?.close() }
        bars?.update { $0.start(0, name: source.name) }
        let response = try await network.load(DataRequest(url: url))
        let status = response.head.status
        guard status.kind == .successful else {
            throw ImageError(
                .httpStatus, message: "The server answered \(status.code) \(status.reasonPhrase).", status: status.code)
        }
        if let whole = response.body.wholeData { return whole }
        var bytes = BodyBytes()
        for try await chunk in response.body {
            guard bytes.append(chunk, expected: response.expectedBytes) else {
                throw ImageError(
                    .tooLarge, message: "There is not enough memory for the response; \(bytes.count) bytes have come.")
            }
            let progress = LoadProgress(received: bytes.count, expected: response.expectedBytes)
            bars?.update { $0.advance(0, to: progress) }
        }
        return bytes.data
    }
}
