public import ImageCore

extension LoadObservation {
    /// One load of each kind of observation, with every stage: what an observer must be able to show.
    ///
    /// ```swift
    /// struct Printer: LoadObserving {
    ///     func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) { print(load, observation) }
    /// }
    /// let request = ImageRequest(url: URL(string: "https://example.org/cat.jpg")!)
    /// for observation in try LoadObservation.samples() {
    ///     Printer().observe(observation, of: LoadID(rawValue: 2), request: request)
    /// }
    /// ```
    public static func samples() throws -> [LoadObservation] {
        let error = ImageError(.timedOut, message: "The cache did not answer in time.")
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
                .finished(.success(ImageResponse(image: TestImages.solid(), tier: .network))),
            ]
    }
}
