import CalotypeSystem
import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageNetworking
import Testing

private let resource = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

/// A layer for `memory` URLs that keeps every rule, with changes.
private struct Layer: DataLoading {
    enum Fault {
        case none, ignoresCancellation, ignoresMaximum, inventsNames, takesAnyScheme, blocks, leaks, mixesUp, changesVersions
    }
    var fault = Fault.none
    var chunk: @Sendable (Data) -> Data = { $0 }
    var announced: Int? = resource.count
    private let calls = EventLog<Void>()

    /// The number of calls so far.
    private func count() -> Int {
        calls.append(())
        return calls.count
    }

    func load(_ request: DataRequest) async throws -> DataResponse {
        if fault != .ignoresCancellation { try Task.checkCancellation() }
        guard fault == .takesAnyScheme || request.url.scheme == "memory" else {
            throw ImageError(.unsupportedScheme, message: "It is no memory URL.")
        }
        guard fault == .inventsNames || fault == .takesAnyScheme || request.url.lastPathComponent == "a" else {
            throw ImageError(.fileUnreadable, message: "There is no such resource.")
        }
        if fault != .ignoresMaximum, let most = request.maximumResponseBytes, most < resource.count {
            throw ImageError(.tooLarge, message: "It is too large.")
        }
        if fault == .blocks { usleep(30_000) }
        if fault == .leaks { _ = dup(0) }
        let number = count()
        let rest = Lock(fault == .mixesUp && number % 2 == 0 ? Data(resource.reversed()) : resource)
        var head = HTTPResponse(status: .ok)
        if let announced { head.headerFields[.contentLength] = "\(announced)" }
        return DataResponse(
            url: request.url, head: head,
            body: ByteStream { [fault, chunk] in
                if fault != .ignoresCancellation { try Task.checkCancellation() }
                let part = rest.withLock { rest in
                    let part = Data(rest.prefix(1_000))
                    rest = Data(rest.dropFirst(1_000))
                    return part
                }
                return part.isEmpty ? nil : chunk(part)
            })
    }

    func version(of url: URL) -> String? {
        fault == .changesVersions ? "\(count())" : "1"
    }
}

private let a = URL(string: "memory://host/a")!
private let missing = URL(string: "memory://host/missing")!

private func check(_ make: @escaping @Sendable () throws -> any DataLoading) async throws {
    try await checkDataLoadingConformance(samples: [LoadingSample(a, data: resource)], missing: [missing], make)
}

private func proof(_ rule: String, _ fault: Layer.Fault) -> Proof {
    Proof("DataLoading.\(rule)", "\(fault)") { try await check { Layer(fault: fault) } }
}

let loadingProofs = [
    Proof("DataLoading.deliversBytes", "a byte is changed") {
        try await check { Layer(chunk: { Data($0.map { $0 == 7 ? 8 : $0 }) }) }
    },
    Proof("DataLoading.deliversBytes", "chunks are empty") { try await check { Layer(chunk: { _ in Data() }) } },
    Proof("DataLoading.announcesLength", "a wrong length") { try await check { Layer(announced: 7) } },
    proof("stopsBeforeTheBody", .ignoresCancellation), proof("stopsWithinTheBody", .ignoresCancellation),
    proof("respectsMaximumBytes", .ignoresMaximum), proof("rejectsMissingNames", .inventsNames),
    proof("rejectsOtherSchemes", .takesAnyScheme), proof("blocksNoThread", .blocks), proof("closesDescriptors", .leaks),
    proof("loadsSeveralAtOnce", .mixesUp), proof("namesVersions", .changesVersions),
    Proof("DataLoading.deliversBytes", "a body that never ends") {
        try await checkDataLoadingConformance(samples: [LoadingSample(a, data: resource)], limit: .milliseconds(50)) {
            let gate = Gate()
            return ScriptedLoader { _ in .response(HTTPResponse(status: .ok), chunks: [resource], gate: gate) }
        }
    },
]

/// The built-in parts pass, and so does a part that is written for the check.
@Suite(.timeLimit(.minutes(1))) struct LayersOfOtherSchemes {
    @Test func aLayerThatKeepsAllRulesPasses() async throws { try await check { Layer() } }

    @Test func theLoaderOfFilesPasses() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID())")
        try resource.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for chunkSize in [1_000, 256 << 10] {
            try await checkDataLoadingConformance(
                samples: [LoadingSample(file, data: resource)], missing: [URL(filePath: "/missing/a.png"), URL(filePath: "/")]
            ) { FileLoader(chunkSize: chunkSize) }
        }
    }

    @Test func theLoaderOfDataURLsPasses() async throws {
        let url = try #require(URL(string: "data:image/png;base64,\(resource.base64EncodedString())"))
        try await checkDataLoadingConformance(
            samples: [LoadingSample(url, data: resource)], missing: [#require(URL(string: "data:image/png;base64"))]
        ) { DataURLLoader() }
    }
}
