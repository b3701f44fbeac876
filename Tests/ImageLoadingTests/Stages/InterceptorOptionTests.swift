import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// Interceptors that come with a load's options.
@Suite(.timeLimit(.minutes(1)))
struct InterceptorOptions {
    private struct Tagging: RequestInterceptor {
        let tag: String

        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            var changed = request
            changed.headerFields[.via] = (request.headerFields[.via] ?? "") + tag
            return try await next(changed)
        }
    }

    private struct Redirecting: RequestInterceptor {
        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            var changed = request
            changed.url = url("other.png")
            return try await next(changed)
        }
    }

    private func request(_ interceptors: [any RequestInterceptor]) -> ImageRequest {
        ImageRequest(url: url("a.png"), options: OptionLayer { $0.interceptors = interceptors })
    }

    @Test func thoseOfTheLoadLieAroundThoseOfTheLoader() async throws {
        let bench = Bench { $0.dataLoader = InterceptedLoader($0.dataLoader, interceptors: [Tagging(tag: "c")]) }
        _ = try await bench.loader.image(for: request([Tagging(tag: "a"), Tagging(tag: "b")]))
        #expect(bench.network.requests.map { $0.headerFields[.via] } == ["abc"])
    }

    @Test func anotherLoadHasNoneOfThem() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: request([Tagging(tag: "a")]))
        _ = try await bench.loader.image(for: ImageRequest(url: url("b.png")))
        #expect(bench.network.requests.map { $0.headerFields[.via] } == ["a", nil])
    }

    @Test func aHigherLayersListTakesThePlaceOfALowerOnes() async throws {
        let options = try OptionsBuilder(
            global: OptionLayer { $0.interceptors = [Tagging(tag: "a"), Tagging(tag: "b")] },
            request: OptionLayer { $0.interceptors = [Tagging(tag: "c")] }
        ).build()
        #expect(options.interceptors.compactMap { ($0 as? Tagging)?.tag } == ["c"])
    }

    @Test func aHigherLayerCanAddToTheListOfALowerOne() async throws {
        let bench = Bench { $0.options.interceptors = [Tagging(tag: "a")] }
        var request = ImageRequest(url: url("a.png"))
        request.options.modify(\.interceptors) { $0.append(Tagging(tag: "b")) }
        _ = try await bench.loader.image(for: request)
        #expect(bench.network.requests.map { $0.headerFields[.via] } == ["ab"])
    }

    @Test func oneThatChangesTheURLFailsTheLoad() async throws {
        let bench = Bench()
        await #expect {
            _ = try await bench.loader.image(for: request([Redirecting()]))
        } throws: { error in
            guard case .failed(let failure) = error as? LoadFailure else { return false }
            return failure.code == .plugInFailed && failure.message.contains("Redirecting changed the URL")
        }
        #expect(bench.network.requests.isEmpty)
    }

    @Test func cachedImagesCallNoInterceptor() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: request([]))
        _ = try await bench.loader.image(for: request([Redirecting()]))
        #expect(bench.network.requests.count == 1)
    }
}
