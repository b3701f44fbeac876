internal import HTTPTypes
internal import ImageCore

/// Gets the bytes from the source: a network layer, a closure, or memory.
struct FetchStage: Sendable {
    let parts: LoaderParts
    let plan: LoadPlan

    /// - Parameter request: makes the request for the network layer.
    func fetch(_ request: (URL) -> DataRequest, _ progress: ResponseReader.Progress) async throws -> FetchedBody {
        switch plan.request.source {
        case .bytes(let data, _): local(data)
        case .producer(_, let produce): local(try await produce())
        case .url(let url):
            try await ResponseReader(parts: parts, plan: plan).body(of: plan.loader(parts).load(request(url)), progress)
        }
    }

    private func local(_ data: Data) -> FetchedBody {
        FetchedBody(
            entry: DataEntry(data: data, head: HTTPResponse(status: .ok), storedAt: Date().timeIntervalSince1970), tier: .local)
    }
}
