internal import CalotypeSystem
internal import Dispatch
public import ImageCore

/// A resource that a network layer can load, for ``checkDataLoadingConformance(samples:missing:limit:_:)``.
public struct LoadingSample: Sendable {
    /// The URL of the resource.
    public var url: URL
    /// Its bytes.
    public var data: Data

    /// Creates a sample.
    public init(_ url: URL, data: Data) { (self.url, self.data) = (url, data) }
}

enum DataLoadingRule: String, ConformanceRules {
    static let plugIn = "DataLoading"
    case deliversBytes = "The chunks are the bytes of the resource, in order; no chunk is empty."
    case announcesLength = "The announced length is unknown or that of the body."
    case stopsBeforeTheBody = "A load in a cancelled task throws CancellationError, unless the whole body is in memory."
    case stopsWithinTheBody = "A read in a cancelled task throws CancellationError, unless the body has ended."
    case respectsMaximumBytes =
        "A body with a byte more than maximumResponseBytes fails with tooLarge, one with as many is loaded."
    case rejectsMissingNames = "A URL without a resource throws ImageError, or has a status from 400."
    case rejectsOtherSchemes = "A URL of an unknown scheme throws unsupportedScheme."
    case blocksNoThread = "Loading and reading block no thread of the caller for long."
    case closesDescriptors = "Files and sockets are closed, whether a body is read to its end or released before."
    case loadsSeveralAtOnce = "Eight loads at once get their own bytes."
    case namesVersions = "version(of:) names the same version again if nothing changed, and returns at once."
}

/// Checks a network layer of any scheme against the contract of `DataLoading`.
///
/// ``DataLoadingConformance`` also checks layers for `http` and `https`. ``ConformanceRule/all`` lists the rules.
/// Take a sample with more bytes than a chunk of the layer: some rules only apply to bodies that are not in memory.
///
/// ```swift
/// // In a test, with a custom loader:
/// let file = URL(filePath: "/etc/hosts")
/// try await checkDataLoadingConformance(
///     samples: [LoadingSample(file, data: Data(contentsOf: file))], missing: [URL(filePath: "/missing.png")]
/// ) { FileLoader() }
/// ```
///
/// - Parameters:
///   - samples: Resources that the layer can load.
///   - missing: URLs of the scheme without a resource. None by default.
///   - limit: The longest time that each rule may take. By default 20 seconds.
///   - make: Makes a layer, which must not cache responses. Called for each rule.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkDataLoadingConformance(
    samples: [LoadingSample], missing: [URL] = [], limit: Duration = .seconds(20),
    _ make: @escaping @Sendable () throws -> any DataLoading
) async throws {
    let rules = RuleChecker<DataLoadingRule>(limit: limit)
    for sample in samples {
        let name = sample.url.lastPathComponent
        await rules.run(.deliversBytes, name) {
            let body = try await make().load(DataRequest(url: sample.url)).body
            try requireSame(try await collect(body), as: sample)
        }
        await rules.run(.announcesLength, name) {
            let response = try await make().load(DataRequest(url: sample.url))
            let length = response.expectedBytes ?? sample.data.count
            try require(length == sample.data.count, "\(length) of \(sample.data.count) bytes were announced.")
        }
        await rules.run(.stopsBeforeTheBody, name) {
            try await inCancelledTask {
                let response = try await make().load(DataRequest(url: sample.url))
                if response.body.wholeData != nil { throw CancellationError() }
                _ = try await collect(response.body)
            }
        }
        await rules.run(.stopsWithinTheBody, name) { try await checkCancelledBody(of: sample, by: make()) }
        await rules.run(.respectsMaximumBytes, name) { try await checkMaximum(of: sample, by: make()) }
        await rules.run(.blocksNoThread, name) { try await checkBlocking(of: sample, by: make()) }
        await rules.run(.closesDescriptors, name) { try await checkDescriptors(of: sample, by: make()) }
        await rules.run(.namesVersions, name) {
            let loader = try make()
            let version = loader.version(of: sample.url)
            let time = ContinuousClock().measure { _ = loader.version(of: sample.url) }
            try require(loader.version(of: sample.url) == version, "Two calls named different versions of an unchanged resource.")
            try require(time < .milliseconds(100), "It took \(time).")
        }
    }
    for url in missing {
        await rules.run(.rejectsMissingNames, url.lastPathComponent) {
            try await expectFailure("A response came.") {
                let response = try await make().load(DataRequest(url: url))
                if response.head.status.code >= 400 { throw ImageError(.fileUnreadable, message: "It is missing.") }
                _ = try await collect(response.body)
            }
        }
    }
    if let other = URL(string: "conformance-unknown://a/b") {
        await rules.run(.rejectsOtherSchemes) {
            try await expectFailure("It was loaded.", .unsupportedScheme) { _ = try await make().load(DataRequest(url: other)) }
        }
    }
    await rules.run(.loadsSeveralAtOnce) {
        let loader = try make()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 where !samples.isEmpty {
                let sample = samples[number % samples.count]
                group.addTask { try requireSame(await collect(loader.load(DataRequest(url: sample.url)).body), as: sample) }
            }
            try await group.waitForAll()
        }
    }
    try throwFailure(rules.violations)
}

private func collect(_ body: ByteStream) async throws -> Data {
    var data = Data()
    for try await chunk in body {
        try require(!chunk.isEmpty, "A chunk was empty.")
        data.append(chunk)
    }
    return data
}

private func requireSame(_ data: Data, as sample: LoadingSample) throws {
    try require(
        data == sample.data, "\(data.count) bytes came, or other bytes than the \(sample.data.count) of the resource.")
}

/// Expects that work throws a `CancellationError` in a task that is cancelled before it begins.
private func inCancelledTask(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await body()
    }
    do { try await task.value } catch is CancellationError { return } catch {
        throw RuleViolation("It threw \(text(of: error)) instead of a CancellationError.")
    }
    throw RuleViolation("It finished although its task was cancelled before.")
}

private func checkCancelledBody(of sample: LoadingSample, by loader: any DataLoading) async throws {
    let task = Task {
        var chunks = try await loader.load(DataRequest(url: sample.url)).body.makeAsyncIterator()
        let first = try await chunks.next()
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        var later = 0
        while let chunk = try await chunks.next() { later += chunk.count }
        try require(later == 0, "\(later) bytes came after \(first?.count ?? 0) bytes were read and the task was cancelled.")
    }
    do { try await task.value } catch is CancellationError {}
}

private func checkMaximum(of sample: LoadingSample, by loader: any DataLoading) async throws {
    guard !sample.data.isEmpty else { return }
    var request = DataRequest(url: sample.url, maximumResponseBytes: sample.data.count)
    try requireSame(await collect(loader.load(request).body), as: sample)
    request.maximumResponseBytes = sample.data.count - 1
    try await expectFailure("A body of \(sample.data.count) bytes was loaded, with a limit of one less.", .tooLarge) {
        [request] in
        _ = try await collect(loader.load(request).body)
    }
}

private func expectFailure(
    _ otherwise: String, _ code: ImageError.Code? = nil, _ body: () async throws -> Void
) async throws {
    do { try await body() } catch let error as ImageError {
        return try require(code == nil || error.code == code, "It threw \(text(of: error)).")
    }
    throw RuleViolation(otherwise)
}

private func checkBlocking(of sample: LoadingSample, by loader: any DataLoading) async throws {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
    // The least of several rounds: in the others the machine may have been busy.
    var times: [Duration] = []
    for _ in 0..<3 where times.min() ?? .seconds(1) > .milliseconds(25) {
        let executor = WatchedExecutor()
        _ = try await withTaskExecutorPreference(executor) { try await collect(loader.load(DataRequest(url: sample.url)).body) }
        times.append(executor.longest)
    }
    if let least = times.min() { try require(least <= .milliseconds(25), "It blocked a thread for \(least).") }
}

/// Runs tasks on a queue of its own, and measures how long each step takes.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class WatchedExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "calotype.conformance")
    private let time = Lock(Duration.zero)

    /// The longest step. The last one may still run when its task has ended, so the queue is waited for.
    var longest: Duration { queue.sync { time.withLock { $0 } } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            let taken = ContinuousClock().measure { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
            time.withLock { $0 = max($0, taken) }
        }
    }
}

private func checkDescriptors(of sample: LoadingSample, by loader: any DataLoading) async throws {
    // A first load may open what is kept, such as a file of settings.
    _ = try await collect(loader.load(DataRequest(url: sample.url)).body)
    func countDescriptors() -> Int { (0..<4_096).count { fcntl($0, F_GETFD) != -1 } }
    let before = countDescriptors()
    for number in 0..<64 {
        var chunks = try await loader.load(DataRequest(url: sample.url)).body.makeAsyncIterator()
        _ = try await chunks.next()
        // Every second body is released early.
        while number % 2 == 0, try await chunks.next() != nil {}
    }
    // A transfer that was released may close its socket a little later.
    for _ in 0..<100 where countDescriptors() - before >= 24 { try await Task.sleep(for: .milliseconds(10)) }
    let leaked = countDescriptors() - before
    try require(leaked < 24, "After 64 loads \(leaked) more files or sockets are open.")
}
