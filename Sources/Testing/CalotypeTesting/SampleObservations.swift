public import ImageCore

extension LoadObservation {
    /// Returns observations of every kind, with every stage, for tests of observers.
    ///
    /// ```swift
    /// struct Printer: LoadObserving {
    ///     func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
    ///         print(load, observation)
    ///     }
    /// }
    /// let request = ImageRequest(url: URL(string: "https://example.org/cat.jpg")!)
    /// for observation in try LoadObservation.samples() {
    ///     Printer().observe(observation, of: LoadID(rawValue: 2), request: request)
    /// }
    /// ```
    /// - Throws: An `ImageError` when the sample image cannot be allocated.
    public static func samples() throws -> [LoadObservation] {
        let error = ImageError(.timedOut, message: "The cache did not respond in time.")
        let stages: [LoadObservation] = LoadStage.allCases.flatMap { stage in
            [
                .waitBegan(stage), .waitEnded(stage, .milliseconds(2)), .stageBegan(stage),
                .stageEnded(stage, .milliseconds(3)),
            ]
        }
        return try [
            .started, .cacheLookup(.memory, isHit: false), .joined(LoadID(rawValue: 1)), .cacheLookup(.disk, isHit: true),
        ]
            + stages + [
                .progress(LoadProgress(received: 1, expected: 2)), .cacheFailed(error),
                .finished(.success(LoadSummary(image: TestImages.solid(), tier: .network))),
            ]
    }
}
