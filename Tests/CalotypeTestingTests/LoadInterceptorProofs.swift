import CalotypeTesting
import ImageCore
import Testing

/// A load interceptor that does a thing wrong.
private struct Altered: LoadInterceptor {
    let work: @Sendable (ImageRequest, @escaping Next) async throws -> ImageResponse

    func intercept(_ request: ImageRequest, size: PixelSize?, next: @escaping Next) async throws -> ImageResponse {
        try await work(request, next)
    }
}

private func proof(
    _ rule: String, _ what: String,
    _ work: @escaping @Sendable (ImageRequest, @escaping Altered.Next) async throws -> ImageResponse
) -> Proof {
    Proof("LoadInterceptor.\(rule)", what) {
        try await checkLoadInterceptorConformance(limit: .seconds(5)) { Altered(work: work) }
    }
}

/// Adds a number that counts up.
private struct Counting: RequestRewriting {
    static let count = Lock(0)

    func request(for request: ImageRequest, size: PixelSize?) -> ImageRequest {
        request.with(source: .url(URL(string: "https://example.org/\(Counting.count.withLock { $0 += 1; return $0 })")!))
    }
}

/// The image of the first load, which it returns to all.
private let first = Lock<ImageResponse?>(nil)

let loadInterceptorProofs = [
    proof("returnsImages", "a failure whatever comes") { _, _ in throw ImageError(.notFound, message: "It failed.") },
    proof("keepsCallers", "a new request without the owner") { request, next in
        try await next(ImageRequest(request.source, options: request.options, purpose: .view))
    },
    proof("keepsCallers", "the purpose of a prefetch") { request, next in
        var changed = request
        changed.purpose = .prefetch
        return try await next(changed)
    },
    proof("endsRetries", "a retry without an end") { request, next in
        while true {
            do { return try await next(request) } catch LoadFailure.cancelled { throw LoadFailure.cancelled } catch {}
        }
    },
    proof("stopsWhenCancelled", "a retry after cancellation") { request, next in
        do { return try await next(request) } catch { return try await next(request) }
    },
    proof("stopsWhenCancelled", "cancellation becomes another error") { request, next in
        do { return try await next(request) } catch { throw ImageError(.connectionLost, message: "It failed.") }
    },
    proof("endsWithoutNext", "a wait that cannot be cancelled") { request, next in
        let cancelled = Task.isCancelled
        if cancelled { await Task { try? await Task.sleep(for: .seconds(100)) }.value }
        return try await next(request)
    },
    proof("worksForSeveralLoads", "the image of the first load for all") { request, next in
        let response = try await next(request)
        return first.withLock { kept in
            if kept == nil { kept = response }
            return kept ?? response
        }
    },
    Proof("LoadInterceptor.isRepeatable", "another URL each time") { try await checkLoadInterceptorConformance { Counting() } },
]
