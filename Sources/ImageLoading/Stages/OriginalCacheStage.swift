internal import ImageCore

/// Looks the original bytes up: in the response cache for a web URL, in the data cache for any other.
struct OriginalCacheStage: Sendable {
    let parts: LoaderParts
    let plan: LoadPlan

    /// What the lookup found.
    enum Lookup: Sendable {
        /// The revalidation, if there is one, runs in the background.
        case hit(FetchedBody, revalidate: (@Sendable () async -> Void)? = nil)
        /// The network is needed; the transaction goes with the request.
        case miss((any ResponseTransaction)?)
    }

    /// - Parameter request: the request that the network would get.
    /// - Throws: ``CacheError`` where the cache failed, and the error of a stored response that is fresh and no image.
    func lookUp(_ request: DataRequest?, _ progress: ResponseReader.Progress) async throws -> Lookup {
        guard let responses = plan.responseCache(parts), let request else {
            // Only a response cache can ask the server.
            guard !plan.options.cachePolicy.revalidatesDisk else { return .miss(nil) }
            let entry = try await reading { try await parts.dataCache?.entry(for: plan.dataKey) }
            return entry.map { .hit(FetchedBody(entry: $0, tier: .disk)) } ?? .miss(nil)
        }
        switch try await reading({ try await responses.lookUp(request) }) {
        case .miss(let transaction): return .miss(transaction)
        case .hit(var response, let revalidation):
            response.tier = .disk
            let body = try await ResponseReader(parts: parts, plan: plan).body(of: response, progress)
            guard let revalidation else { return .hit(body) }
            return .hit(body, revalidate: { await revalidate(request, revalidation) })
        }
    }

    /// Sends a request whose response updates only the response cache.
    private func revalidate(_ request: DataRequest, _ transaction: any ResponseTransaction) async {
        var request = request
        (request.cacheTransaction, request.priority) = (transaction, .veryLow)
        _ = try? await plan.loader(parts).load(request).body.reduce(0) { $0 + $1.count }
    }

    /// Marks errors of the cache itself, which count as a miss.
    private func reading<R>(_ read: () async throws -> R) async throws -> R {
        do { return try await read() } catch { throw CacheError(cause: error) }
    }
}

/// A cache failed to read.
struct CacheError: Error {
    let cause: any Error
}
