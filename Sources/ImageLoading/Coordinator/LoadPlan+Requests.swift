internal import HTTPTypes
internal import ImageCore

/// What a plan sends to the network layer, and through what.
extension LoadPlan {
    /// The loader's network layer, within the plan's interceptors.
    func loader(_ parts: LoaderParts) -> any DataLoading {
        let (loader, interceptors) = (parts.configuration.dataLoader, options.interceptors)
        return interceptors.isEmpty ? loader : InterceptedLoader(loader, interceptors: interceptors)
    }

    /// The request for the network layer, as a cache looks it up; `nil` for a source without a URL.
    ///
    /// - Parameter rank: the purpose and the priority of the loads that wait.
    func dataRequest(_ rank: RankClass, _ parts: LoaderParts) -> DataRequest? {
        guard case .url(let url) = request.source else { return nil }
        return dataRequest(url, rank, parts)
    }

    /// The request for the network layer.
    ///
    /// - Parameters:
    ///   - rank: the purpose and the priority of the loads that wait.
    ///   - deadline: when the loads that wait must have ended.
    ///   - transaction: what the lookup in the response cache found.
    func dataRequest(
        _ url: URL, _ rank: RankClass, _ parts: LoaderParts, deadline: Deadline? = nil,
        transaction: (any ResponseTransaction)? = nil
    ) -> DataRequest {
        var policy = options.cachePolicy
        if !options.diskStorage.keepsOriginal(isProcessed: isProcessed) { policy.remove(.writesDisk) }
        var result = DataRequest(
            url: url, method: request.method, headerFields: headerFields(parts), body: request.body, timeout: options.timeout,
            maximumResponseBytes: maximumResponseBytes(parts), priority: rank.priority, retries: options.retries,
            allowsExpensiveNetwork: options.allowsExpensiveNetwork, cachePolicy: policy, purpose: rank.purpose)
        (result.deadline, result.cacheTransaction) = (deadline, transaction)
        (result.identities, result.extra) = (identities, options.extra)
        return result
    }

    private func headerFields(_ parts: LoaderParts) -> HTTPFields {
        if isLocal { return options.headers }
        if options.headers.isEmpty { return parts.accept }
        return options.headers[.accept] == nil ? options.headers + parts.accept : options.headers
    }

    /// The largest body that is accepted, in bytes.
    func maximumResponseBytes(_ parts: LoaderParts) -> Int {
        options.maximumResponseBytes ?? parts.configuration.limits.maximumResponseBytes
    }

    /// The cache that takes the place of the data cache for the plan's URL; `nil` for a source that is not on the web.
    func responseCache(_ parts: LoaderParts) -> (any ResponseCaching)? {
        guard let cache = parts.configuration.responseCache, case .url(let url) = request.source else { return nil }
        let scheme = url.scheme?.lowercased()
        return scheme == "https" || scheme == "http" ? cache : nil
    }
}
