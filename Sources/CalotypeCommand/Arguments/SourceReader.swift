internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking

/// Gets the bytes of a source, without the engine: for commands that look at one file.
final class SourceReader: Sendable {
    private let loader = Lock<SchemeRouter?>(nil)

    /// The network's loader keeps a thread and a large library, of which a local file has no need: it is made for the first
    /// source that has.
    private func loader(for source: SourceArgument) -> any DataLoading {
        if source.url.isFileURL { return FileLoader() }
        return loader.withLock { loader in
            let made = loader ?? .standard(network: CurlLoader())
            loader = made
            return made
        }
    }

    /// The whole file. A local one is mapped into memory, so that no more of it is read than is looked at.
    ///
    /// - Throws: ``ImageError``, also for an HTTP status other than success.
    func bytes(of source: SourceArgument) async throws -> Data {
        let response = try await loader(for: source).load(DataRequest(url: source.url))
        let status = response.head.status
        guard status.kind == .successful else {
            throw ImageError(
                .httpStatus, message: "The server answered \(status.code) \(status.reasonPhrase).", status: status.code)
        }
        if let whole = response.body.wholeData { return whole }
        // The loader has found that the file is there, regular, and longer than a chunk.
        if source.url.isFileURL, let mapped = try? Data(contentsOf: source.url, options: .alwaysMapped) { return mapped }
        var data = Data()
        for try await chunk in response.body { data.append(chunk) }
        return data
    }
}
