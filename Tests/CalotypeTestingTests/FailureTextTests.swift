import CalotypeTesting
import ImageCore
import Testing

/// What an author reads when a plug-in breaks its contract.
@Suite(.timeLimit(.minutes(1))) struct FailureTextTests {
    /// A plug-in of which nothing is written yet breaks nearly every rule by the same error.
    @Test func anErrorThatBreaksManyRulesIsOnOneLine() async throws {
        struct Unwritten: Processing {
            var identifier: String { "unwritten" }
            func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
                throw ImageError(.plugInFailed, message: "Write process(_:context:) first.")
            }
        }
        let failure = try #require(throws: ConformanceFailure.self) { try checkProcessingConformance { Unwritten() } }
        #expect(failure.violations.count > 3)
        #expect(
            failure.description == """
                Processing.acceptsSamples: With unwritten on 1x1 gray8: It threw plugInFailed: Write process(_:context:) first. \
                The same error breaks Processing.keepsImage, Processing.stopsWhenCancelled.
                """)
    }

    /// No rule waits for a call of `next` that never comes.
    @Test func anInterceptorThatThrowsAtOnceIsReportedAtOnce() async throws {
        struct Unwritten: RequestInterceptor {
            func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
                throw ImageError(.plugInFailed, message: "Write intercept(_:next:) first.")
            }
        }
        let failure = try await #require(throws: ConformanceFailure.self) {
            try await checkInterceptorConformance { Unwritten() }
        }
        #expect(failure.description.split(separator: "\n").count == 1, "\(failure)")
    }

    @Test func anInterceptorMayReplaceTheFetch() async throws {
        struct Canned: RequestInterceptor {
            func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
                DataResponse(url: request.url, body: ByteStream(Data([1])))
            }
        }
        let failure = try await #require(throws: ConformanceFailure.self) { try await checkInterceptorConformance { Canned() } }
        // What comes from `next` does not reach the caller, but no rule hangs.
        #expect(!failure.rules.map(\.name).contains("stopsWhenCancelled"), "\(failure)")
    }

    @Test func differentViolationsHaveLinesOfTheirOwn() throws {
        struct Nameless: Processing {
            var identifier: String { "" }
            func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
                guard image.format == nil else { throw ImageError(.unsupportedFeature, message: "The image has a format.") }
                return image
            }
        }
        let failure = try #require(throws: ConformanceFailure.self) { try checkProcessingConformance { Nameless() } }
        #expect(
            failure.description == """
                Processing.hasIdentifier: It is empty.
                Processing.keepsImage: It threw unsupportedFeature: The image has a format.
                """)
    }
}
