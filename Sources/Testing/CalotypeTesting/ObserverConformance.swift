internal import CalotypeSystem
internal import HTTPTypes
public import ImageCore

enum ObserverRule: String, ConformanceRules {
    static let plugIn = "LoadObserving"
    case returnsAtOnce = "A call does not block."
    case writesNoCredentials =
        "Nothing that is written contains credentials: user, password and query of a URL, or header fields."
    case countsFailures = "Loads that failed are counted as failed, and cancelled loads are not."
    case worksOnSeveralThreads = "Four threads at once, and loads that begin or end in any order, lose no count."
}

/// Checks an observer against the contract of `LoadObserving`.
///
/// What the observer writes to the standard output and the standard error is read during the check, and passed on
/// after it. ``ConformanceRule/all`` lists the rules.
///
/// ```swift
/// import CalotypeMetrics
/// import CalotypeTesting
///
/// // In a test, with a custom observer:
/// try await checkObserverConformance { LoadMeter() }
/// ```
///
/// - Parameters:
///   - failures: Returns how many loads the observer counts as failed. By default `nil`: counts are not checked.
///   - output: Returns what the observer has written elsewhere, such as to a log. Nothing by default.
///   - limit: The longest time that each rule may take. By default 20 seconds.
///   - make: Makes an observer. Called for each rule.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkObserverConformance<Observer: LoadObserving>(
    failures: (@Sendable (Observer) throws -> Int)? = nil, output: @escaping @Sendable (Observer) throws -> String = { _ in "" },
    limit: Duration = .seconds(20), _ make: @escaping @Sendable () throws -> Observer
) async throws {
    let rules = RuleChecker<ObserverRule>(limit: limit)
    let request = secretRequest()
    let observations = try LoadObservation.samples()
    await rules.run(.returnsAtOnce) {
        let observer = try make()
        for (number, observation) in observations.enumerated() {
            // The least of several calls: the machine may be busy in the others.
            let times = (0..<3).map { call in
                ContinuousClock().measure {
                    observer.observe(observation, of: LoadID(rawValue: UInt64(number * 3 + call)), request: request)
                }
            }
            try require(times.min() ?? .zero < .milliseconds(5), "“\(observation)” took \(times.min() ?? .zero).")
        }
    }
    await rules.run(.writesNoCredentials) {
        let observer = try make()
        let error = ImageError(.connectionFailed, message: "There is no connection.", source: request.source.description)
        let written = try captureOutput {
            for observation in observations + [
                .cacheFailed(error), .finished(.failure(.failed(error))), .finished(.failure(.cancelled)),
            ] {
                observer.observe(observation, of: LoadID(rawValue: 1), request: request)
            }
        }
        let text = written + (try output(observer))
        for secret in secrets where text.contains(secret) {
            throw RuleViolation("It wrote “\(secret)”, a credential. Descriptions of requests and errors have none.")
        }
    }
    if let failures {
        await rules.run(.countsFailures) {
            let observer = try make()
            let error = ImageError(.connectionFailed, message: "There is no connection.")
            let ends: [LoadFailure] = [.failed(error), .cancelled, .cancelled, .failed(error), .cancelled]
            for (number, end) in ends.enumerated() {
                let load = LoadID(rawValue: UInt64(number))
                observer.observe(.started, of: load, request: request)
                observer.observe(.finished(.failure(end)), of: load, request: request)
            }
            let count = try failures(observer)
            try require(count == 2, "Two loads failed and three were cancelled, and it counts \(count) failures.")
        }
    }
    await rules.run(.worksOnSeveralThreads) {
        let observer = try make()
        let error = ImageError(.connectionFailed, message: "There is no connection.")
        await withTaskGroup(of: Void.self) { group in
            for worker in UInt64(0)..<4 {
                group.addTask {
                    for number in UInt64(0)..<100 {
                        let load = LoadID(rawValue: worker * 100 + number)
                        for observation in observations.shuffled() { observer.observe(observation, of: load, request: request) }
                        observer.observe(.finished(.failure(.failed(error))), of: load, request: request)
                    }
                }
            }
        }
        guard let failures else { return }
        let count = try failures(observer)
        try require(count == 400, "400 loads failed on four threads, and it counts \(count) failures.")
    }
    try throwFailure(rules.violations)
}

private let secrets = ["secret-user", "secret-password", "secret-query", "secret-field"]

private func secretRequest() -> ImageRequest {
    let url = URL(string: "https://secret-user:secret-password@example.org/cat.jpg?token=secret-query")
    var request = ImageRequest(url: url ?? URL(filePath: "/"))
    request.options.headers = [.authorization: "Bearer secret-field"]
    return request
}

/// Returns what work writes to the standard output and the standard error, and passes it on.
private func captureOutput(_ work: () throws -> Void) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "calotype-output-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let descriptor = unsafe open(file.path, O_CREAT | O_RDWR | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw RuleViolation("The check could not write \(file.path).") }
    defer { _ = close(descriptor) }
    let originals = [dup(1), dup(2)]
    fflush(nil)
    for number in [Int32(1), 2] { dup2(descriptor, number) }
    defer {
        fflush(nil)
        for (number, original) in zip([Int32(1), 2], originals) {
            dup2(original, number)
            _ = close(original)
        }
    }
    try work()
    fflush(nil)
    let data = try Data(contentsOf: file)
    _ = unsafe data.withUnsafeBytes { unsafe write(originals[0], $0.baseAddress, $0.count) }
    return String(decoding: data, as: UTF8.self)
}
