internal import Calotype
internal import Foundation

extension Suite {
    /// Measures many small bodies from a web server on this machine, with this project's loader and with others. Each
    /// round runs all of them one after the other, so that a slow moment of the machine affects them alike.
    static let network = Suite(name: "network", summary: "10,000 bodies of 50 KB from nginx on loopback") { effort, _ in
        let server = try WebServer(bodySize: NetworkClients.bodySize)
        defer { server.stop() }
        try await server.waitUntilReady()
        let bench = NetworkBench(clients: NetworkClients(server: server), effort: effort)
        return try await bench.rows(connections: 8) + bench.rows(connections: 64)
    }
}

private struct NetworkBench {
    let clients: NetworkClients
    let effort: Effort

    func rows(connections: Int) async throws -> [Row] {
        let count = max(2 * connections, effort.scaled(10_000))
        let processors = ProcessInfo.processInfo.activeProcessorCount
        var (own, engine): ([NetworkFigures], [NetworkFigures]) = ([], [])
        var (bare, threaded, curl): ([NetworkFigures?], [NetworkFigures?], [NetworkFigures?]) = ([], [], [])
        var (session, asynchronous): ([NetworkFigures?], [NetworkFigures?]) = ([], [])
        for _ in 0..<(effort == .smoke ? 1 : 7) {
            bare.append(try await clients.bareLoop(count, connections))
            threaded.append(try await clients.bareLoop(count, connections, threads: processors))
            own.append(try await clients.ownLoader(count, connections))
            engine.append(try await clients.engine(count, connections))
            curl.append(try await clients.curlCommand(count, connections))
            // URLSession is slow, so it makes only a tenth of the requests.
            session.append(try await clients.program("URLSessionPeer", max(connections, count / 10), connections))
            asynchronous.append(try await clients.program("AsyncHTTPClientPeer", count, connections))
        }
        func row(
            _ what: String, _ figure: (NetworkFigures) -> Double, of measured: [NetworkFigures]? = nil, _ name: String,
            _ peer: [NetworkFigures?], budget: Double? = nil
        ) -> Row {
            let figures = peer.compactMap { $0 }.map(figure)
            return Row(
                suite: "network", name: "\(what), \(connections) connections", samples: (measured ?? own).map(figure),
                unit: "µs", peer: Row.Peer(name: name, samples: figures),
                budget: connections == 64 ? budget.map { .ratio($0) } : nil)
        }
        return [
            row("time per request", \.time, "libcurl loop in C", bare),
            row("processor per request", \.processor, "libcurl loop in C", bare, budget: 2),
            row("first byte", \.firstByte, "libcurl loop in C", bare),
            // The cost of passing bodies to other threads in C.
            row("time per request", \.time, "libcurl in C, threads", threaded),
            row("processor per request", \.processor, "libcurl in C, threads", threaded),
            row("time per request through the engine", \.time, of: engine, "libcurl loop in C", bare),
            row("processor per request through the engine", \.processor, of: engine, "libcurl loop in C", bare),
            row("time per request", \.time, "curl --parallel", curl),
            row("processor per request", \.processor, "curl --parallel", curl),
            row("first byte", \.firstByte, "curl --parallel", curl),
            row("time per request", \.time, "AsyncHTTPClient", asynchronous, budget: 1),
            row("processor per request", \.processor, "AsyncHTTPClient", asynchronous),
            row("time per request", \.time, "URLSession", session),
            row("processor per request", \.processor, "URLSession", session),
            row("first byte at the reader", \.firstByteRead, "URLSession", session),
        ]
    }
}
