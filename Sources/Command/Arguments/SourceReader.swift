internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking
internal import ImageNetworkingCurl

/// Reads the bytes of a source without an image loader, for commands that look at one file.
final class SourceReader {
    /// Made for the first source that is not a local file, because it starts a thread and loads libcurl.
    private lazy var networkLoader = SchemeRouter.standard(network: CurlLoader())

    /// The file's bytes. A local file is mapped into memory, so that only the parts that are used are read. A fetch
    /// shows a progress bar on a terminal.
    ///
    /// - Throws: ``ImageError``, also for an HTTP status other than success.
    func bytes(of source: SourceArgument) async throws -> Data {
        if let path = source.path { return try FileLoader(maximumResponseBytes: .max).contents(ofFile: path) }
        let url = source.url
        if url.isFileURL { return try FileLoader(maximumResponseBytes: .max).contents(of: url) }
        let bars = Console.showsProgress ? ProgressBars(total: 1) : nil
        defer { bars?.close() }
        bars?.update { $0.start(0, name: source.displayName) }
        let response = try await networkLoader.load(DataRequest(url: url))
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
                    .tooLarge, message: "There is not enough memory for the response; \(bytes.count) bytes were received.")
            }
            let progress = LoadProgress(received: bytes.count, expected: response.expectedBytes)
            bars?.update { $0.advance(0, to: progress) }
        }
        return bytes.data
    }
}
