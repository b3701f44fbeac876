import Calotype
import Foundation

/// Something that happens to a network, and what the loader makes of it. Its steps are entered in the timeline.
package struct Scenario: Sendable, Identifiable {
    package let id: String
    package let title: String
    /// A sentence about what happens, for the tooltip of its button.
    package let summary: String
    /// Runs the scenario. Throws ``Unexpected`` or the error of a load that should have ended well.
    let steps: @Sendable (ScenarioRun) async throws -> DecodedImage?

    /// How a scenario ended.
    package struct Result: Sendable {
        package var image: DecodedImage?
        package var isAsExpected: Bool
    }

    /// Runs the scenario against the server of the lab, with a loader of its own that stores nothing on disk.
    ///
    /// - Parameter pace: how long the scenario waits where a viewer follows, such as for the end of an outage.
    package func run(on server: LabServer, _ timeline: Timeline, pace: Duration = .milliseconds(900)) async -> Result {
        timeline.clear()
        timeline.add(.lab, summary)
        do {
            let image = try await steps(ScenarioRun(server: server, timeline: timeline, pace: pace))
            timeline.add(.lab, "This is as expected.")
            return Result(image: image, isAsExpected: true)
        } catch {
            let text = (error as? LoadFailure).map { "\($0)" } ?? "\(error)"
            timeline.add(.lab, "Not as expected: \(text)")
            return Result(isAsExpected: false)
        }
    }
}

/// What a scenario should not have led to.
struct Unexpected: Error, CustomStringConvertible { let description: String }

/// One run of a scenario: its own host, network and loader.
struct ScenarioRun: Sendable {
    let server: LabServer
    let timeline: Timeline
    let pace: Duration
    let monitor = NetworkMonitor(status: NetworkStatus())
    /// Keeps the requests of this run apart from those of others.
    let query = "?run=\(UInt32.random(in: 0 ... .max))"

    func loader(_ change: (inout StandardConfiguration) -> Void = { _ in }) -> ImageLoader {
        .standard(.memoryOnly) {
            $0.network = LabHost(server: server)
            $0.networkMonitor = monitor
            $0.retryPolicy = RetryPolicy(maximumRetries: 3, baseDelay: .milliseconds(200), multiplier: 2)
            $0.observers = [timeline]
            change(&$0)
        }
    }

    /// The request for a path of the server, under the name of a host that is not this machine.
    func request(_ path: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        ImageRequest(url: LabHost.url(path + query), options: OptionLayer(change))
    }

    func requestCount(_ path: String) -> Int { server.requestCount(path + query) }

    func report(_ text: String, _ status: NetworkStatus) {
        timeline.add(.network, text)
        monitor.report(status)
    }

    func expect(_ condition: Bool, _ otherwise: String) throws {
        if !condition { throw Unexpected(description: otherwise) }
    }
}

/// Gives the server of the lab a host name. Loads from this machine itself need no network, so that they would not
/// notice that it is offline or metered.
struct LabHost: DataLoading {
    let server: LabServer
    private let transport = CurlLoader()

    init(server: LabServer) { self.server = server }

    static func url(_ path: String) -> URL { URL(string: "http://images.example\(path)")! }

    func load(_ request: DataRequest) async throws -> DataResponse {
        var sent = request
        sent.url = server.url(LabHost.path(of: request.url))
        var response = try await transport.load(sent)
        response.url = LabHost.url(LabHost.path(of: response.url))
        return response
    }

    private static func path(of url: URL) -> String { url.path + (url.query.map { "?" + $0 } ?? "") }
}
