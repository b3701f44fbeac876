internal import HTTPTypes
internal import ImageCore

/// Gets the bytes from the source: a network layer, a closure, or memory.
struct FetchStage: Sendable {
    let parts: LoaderParts
    let plan: LoadPlan

    /// - Parameters:
    ///   - rank: the purpose and the priority of the loads that wait.
    ///   - transaction: what the lookup in the response cache found.
    func fetch(
        _ rank: RankClass, _ deadline: Deadline?, _ transaction: (any ResponseTransaction)?, _ progress: ResponseReader.Progress
    ) async throws -> FetchedBody {
        switch plan.request.source {
        case .bytes(let data, _): return local(data)
        case .producer(_, let produce): return local(try await produce())
        case .url(let url):
            let request = plan.dataRequest(url, rank, parts, deadline: deadline, transaction: transaction)
            return try await ResponseReader(parts: parts, plan: plan).body(of: plan.loader(parts).load(request), progress)
        }
    }

    private func local(_ data: Data) -> FetchedBody {
        FetchedBody(
            entry: DataEntry(data: data, head: HTTPResponse(status: .ok), storedAt: Date().timeIntervalSince1970), tier: .local)
    }
}
