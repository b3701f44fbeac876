internal import HTTPTypes
internal import ImageCore

/// What a plan sends to the network layer, and through what.
extension LoadPlan {
    /// The loader's network layer, within the plan's interceptors.
    func loader(_ components: Components) -> any DataLoading {
        let (loader, interceptors) = (components.configuration.dataLoader, options.interceptors)
        return interceptors.isEmpty ? loader : InterceptedLoader(loader, interceptors: interceptors)
    }

    /// The request for the network layer, and for the cache of its responses.
    ///
    /// - Parameters:
    ///   - rank: the purpose and the priority of the loads that wait.
    ///   - limits: the limits of the loads that wait; by default those of the plan alone.
    func dataRequest(
        _ url: URL, _ rank: RankClass, _ components: Components, _ limits: LoadCoordinator.FetchLimits? = nil
    ) -> DataRequest {
        var policy = options.cachePolicy
        if limits?.storesOriginal ?? storesOriginal { policy.insert(.writesDisk) } else { policy.remove(.writesDisk) }
        var result = DataRequest(
            url: url, method: request.method, headerFields: headerFields(components), body: request.body,
            timeout: options.timeout, maximumResponseBytes: limits?.maximumBytes ?? maximumResponseBytes(components),
            priority: rank.priority, retries: options.retries,
            allowsExpensiveNetwork: limits?.allowsExpensiveNetwork ?? options.allowsExpensiveNetwork, cachePolicy: policy,
            purpose: rank.purpose)
        result.defersStoring = true
        (result.identities, result.extra) = (identities, options.extra)
        return result
    }

    private func headerFields(_ components: Components) -> HTTPFields {
        if isLocal { return options.headers }
        if options.headers.isEmpty { return components.accept }
        return options.headers[.accept] == nil ? options.headers + components.accept : options.headers
    }

    /// The largest body that is accepted, in bytes.
    func maximumResponseBytes(_ components: Components) -> Int {
        options.maximumResponseBytes ?? components.configuration.limits.maximumResponseBytes
    }

    /// The cache that takes the place of the data cache for the plan's URL; `nil` for a source that is not on the web.
    func responseCache(_ components: Components) -> (any ResponseCaching)? {
        guard let cache = components.configuration.responseCache, case .url(let url) = request.source else { return nil }
        let scheme = url.scheme?.lowercased()
        return scheme == "https" || scheme == "http" ? cache : nil
    }
}
