public import ImageCore

enum LoadInterceptorRule: String, ConformanceRules {
    static let plugIn = "LoadInterceptor"
    case returnsImages = "A load ends with an image where next has one."
    case keepsCallers = "The requests for next keep the purpose and the owner."
    case endsRetries = "It does not call next for ever where every call fails."
    case stopsWhenCancelled = "A cancelled call of next is the last one, and the load ends as cancelled."
    case endsWithoutNext = "Once its task is cancelled, it ends, also where it waits for something else."
    case worksForSeveralLoads = "Eight loads at once get their own images."
    case isRepeatable = "An interceptor that replaces requests returns the same one each time."
}

/// Checks a load interceptor against the contract of `LoadInterceptor`, and of `RequestRewriting` if it conforms to
/// that.
///
/// The interceptor is called with scripted loads, which also fail and are cancelled. ``ConformanceRule/all`` lists the
/// rules.
///
/// ```swift
/// // In a test, with a custom interceptor:
/// struct Mirror: RequestRewriting {
///     func request(for request: ImageRequest, size: PixelSize?) -> ImageRequest {
///         guard let url = request.source.url, url.host() == "example.org" else { return request }
///         return request.with(source: .url(URL(string: "https://mirror.example.org" + url.path())!))
///     }
/// }
/// try await checkLoadInterceptorConformance { Mirror() }
/// ```
///
/// - Parameters:
///   - request: A request that the interceptor handles. By default that of `https://example.org/cat.jpg` with a size of
///     320 pixels.
///   - limit: The longest time that each rule may take. By default 20 seconds.
///   - make: Makes the interceptor. Called for each rule.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkLoadInterceptorConformance(
    request: ImageRequest? = nil, limit: Duration = .seconds(20),
    _ make: @escaping @Sendable () throws -> any LoadInterceptor
) async throws {
    guard let url = URL(string: "https://example.org/cat.jpg") else { return }
    var sample = request ?? ImageRequest(url: url, size: PixelSize(320))
    (sample.purpose, sample.owner) = (.view, LoadOwner("check"))
    let original = sample
    let size = sample.options.targetSize
    let rules = RuleChecker<LoadInterceptorRule>(limit: limit)
    await rules.run(.returnsImages) {
        _ = try await make().intercept(original, size: size) { _ throws(LoadFailure) in try answer(7) }
    }
    await rules.run(.keepsCallers) {
        let changed = EventLog<ImageRequest>()
        _ = try await make().intercept(original, size: size) { (request) throws(LoadFailure) in
            changed.append(request)
            return try answer(7)
        }
        for request in changed.events {
            try require(request.purpose == .view, "It changed the purpose, so that an image on screen waits behind others.")
            try require(
                request.owner == original.owner,
                "It removed the owner. Change the request that it gets, for example by `with(source:)`.")
        }
    }
    await rules.run(.endsRetries) {
        let (calls, interceptor) = (EventLog<Void>(), try make())
        let failure = LoadFailure.failed(ImageError(.notFound, message: "There is no such image."))
        let task = Task {
            try await interceptor.intercept(original, size: size) { _ throws(LoadFailure) in
                calls.append(())
                if calls.count > 100 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                throw calls.count > 100 ? .cancelled : failure
            }
        }
        _ = await task.result
        try require(calls.count <= 100, "It called next more than a hundred times for an image that there is not.")
    }
    await rules.run(.stopsWhenCancelled) { try await checkCancellation(of: make(), original, size) }
    await rules.run(.endsWithoutNext) {
        let interceptor = try make()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            _ = try await interceptor.intercept(original, size: size) { _ throws(LoadFailure) in throw .cancelled }
        }
        _ = await task.result
    }
    await rules.run(.worksForSeveralLoads) {
        let interceptor = try make()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(1)...8 {
                group.addTask {
                    let calls = EventLog<Void>()
                    let response = try await interceptor.intercept(original, size: size) { _ throws(LoadFailure) in
                        calls.append(())
                        await Task.yield()
                        return try answer(number)
                    }
                    let red = TestImages.pixel(of: response.image, x: 0, y: 0)[0]
                    // It may have changed the image, or answered by itself.
                    try require(
                        calls.count == 0 || red == number || !(1...8).contains(red), "A load got the image of another one.")
                }
            }
            try await group.waitForAll()
        }
    }
    await rules.run(.isRepeatable) {
        let interceptors = [try make(), try make()].compactMap { $0 as? any RequestRewriting }
        let requests = (interceptors + interceptors).map { $0.request(for: original, size: size).resource }
        try require(
            Set(requests).count <= 1, "It returned two requests for one, so that caches never find its images.")
    }
    try throwFailure(rules.violations)
}

private func answer(_ red: UInt8) throws(LoadFailure) -> ImageResponse {
    do {
        return ImageResponse(image: try TestImages.solid(red: red), tier: .network)
    } catch { throw .failed(.wrapping(error, stage: .request, source: nil)) }
}

private func checkCancellation(of interceptor: any LoadInterceptor, _ request: ImageRequest, _ size: PixelSize?) async throws {
    let (calls, steps, gate) = (EventLog<Void>(), EventLog<Void>(), Gate())
    let task = Task {
        defer { steps.append(()) }
        _ = try await interceptor.intercept(request, size: size) { _ throws(LoadFailure) in
            calls.append(())
            steps.append(())
            do { try await gate.pass() } catch { throw .cancelled }
            return try answer(7)
        }
    }
    await steps.wait(forCount: 1)
    // It has ended without `next`, so there is nothing to cancel.
    guard calls.count > 0 else { return try await task.value }
    task.cancel()
    do { try await task.value } catch {
        let isCancelled = error is CancellationError || (error as? LoadFailure) == .cancelled
        try require(isCancelled, "next was cancelled, and it threw \(text(of: error)).")
        return try require(calls.count == 1, "It called next \(calls.count) times; the first call was cancelled.")
    }
    throw RuleViolation("next was cancelled, and it returned an image after \(calls.count) calls.")
}
