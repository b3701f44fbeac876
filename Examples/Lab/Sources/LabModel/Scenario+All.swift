import Calotype

extension Scenario {
    /// All scenarios, in the order of their buttons.
    package static let all = [
        retry, offline, slow, metered, constrained, resume, redirects, tooManyRedirects, limited,
    ]

    private static let retry = Scenario(
        id: "retry", title: "Retry after failures", summary: "The server fails twice with 503, and then responds."
    ) { run in
        let response = try await run.loader().response(for: run.request("/fails/2/1.jpg"))
        try run.expect(response.metrics.retries == 2, "There were \(response.metrics.retries) retries instead of 2.")
        return response.image
    }

    private static let offline = Scenario(
        id: "offline", title: "Offline and back", summary: "The network is away when the load begins, and comes back."
    ) { run in
        run.report("offline", NetworkStatus(isReachable: false))
        let loader = run.loader { $0.whenOffline = .wait }
        let task = loader.task(for: run.request("/tile/5.jpg"))
        try await Task.sleep(for: run.pace)
        try run.expect(run.requestCount("/tile/5.jpg") == 0, "A request was sent without a network.")
        run.report("online", NetworkStatus())
        return try await task.image
    }

    private static let slow = Scenario(
        id: "slow", title: "Slow network", summary: "A limit of the bandwidth lets the photo arrive in twice the pace."
    ) { run in
        let size = try await run.loader().data(for: run.request("/photo.jpg")).data.count
        let seconds = 2 * (run.pace / .seconds(1))
        let rate = Int(Double(size) / seconds)
        run.timeline.add(.network, "limited to \(rate) bytes per second")
        let limited = run.loader { $0.bandwidthLimit = BandwidthLimit(bytesPerSecond: rate) }
        let response = try await limited.response(for: run.request("/photo.jpg"))
        try run.expect(response.metrics.total > run.pace, "It took only \(response.metrics.total).")
        return response.image
    }

    private static let metered = Scenario(
        id: "metered", title: "Metered network", summary: "A load that must not cost money fails on a metered network."
    ) { run in
        run.report("metered", NetworkStatus(isExpensive: true))
        let loader = run.loader()
        let request = run.request("/tile/9.jpg") { $0.allowsExpensiveNetwork = false }
        do {
            _ = try await loader.image(for: request)
            throw Unexpected(description: "The load used a metered network.")
        } catch LoadFailure.failed(let error) where error.code == .expensiveNetwork {}
        try await Task.sleep(for: run.pace)
        run.report("not metered", NetworkStatus())
        return try await loader.image(for: request)
    }

    private static let constrained = Scenario(
        id: "constrained", title: "Low data mode", summary: "In low data mode, prefetches wait until no other load runs."
    ) { run in
        run.report("low data mode", NetworkStatus(isConstrained: true))
        let loader = run.loader()
        async let visible = loader.image(for: run.request("/progressive.jpg"))
        // The loader has learnt the status when a prefetch waits for it.
        let prefetcher = ImagePrefetcher(loader: loader)
        while run.requestCount("/progressive.jpg") == 0 { try await Task.sleep(for: .milliseconds(5)) }
        prefetcher.start([run.request("/tile/2.jpg")])
        try await Task.sleep(for: run.pace / 3)
        try run.expect(run.requestCount("/tile/2.jpg") == 0, "The prefetch did not wait.")
        let image = try await visible
        await prefetcher.waitUntilIdle()
        try run.expect(run.requestCount("/tile/2.jpg") == 1, "The prefetch was not sent afterwards.")
        return image
    }

    private static let resume = Scenario(
        id: "resume", title: "Broken body", summary: "The connection breaks in the middle of the photo."
    ) { run in
        let response = try await run.loader().response(for: run.request("/cut.jpg"))
        try run.expect(run.requestCount("/cut.jpg") == 2, "There were \(run.requestCount("/cut.jpg")) requests instead of 2.")
        return response.image
    }

    private static let redirects = Scenario(
        id: "redirects", title: "Redirects", summary: "Three redirects lead to the image."
    ) { run in
        let image = try await run.loader().image(for: run.request("/redirects/3/12.jpg"))
        try run.expect(run.requestCount("/tile/12.jpg") == 1, "The redirects were not followed.")
        return image
    }

    private static let tooManyRedirects = Scenario(
        id: "loop", title: "Too many redirects", summary: "The server redirects thirty times; the limit is ten."
    ) { run in
        do {
            _ = try await run.loader().image(for: run.request("/redirects/30/1.jpg"))
            throw Unexpected(description: "The load followed thirty redirects.")
        } catch LoadFailure.failed(let error) where error.code == .tooManyRedirects {
            return nil
        }
    }

    private static let limited = Scenario(
        id: "limited", title: "Limited rate", summary: "Eight loads at once, of a host that allows four requests a second."
    ) { run in
        let loader = run.loader { $0.limits.fetchesPerHost = 8 }
        let images = try await withThrowingTaskGroup(of: DecodedImage.self) { group in
            for number in 1...8 { group.addTask { try await loader.image(for: run.request("/limited/\(number).jpg")) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let requests = (1...8).reduce(0) { $0 + run.requestCount("/limited/\($1).jpg") }
        try run.expect(requests > 8, "The host refused no request.")
        run.timeline.add(.lab, "\(images.count) images by \(requests) requests")
        return images.last
    }
}
