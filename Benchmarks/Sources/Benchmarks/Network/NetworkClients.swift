internal import Calotype
internal import Foundation

/// The figures of one run of a client, in microseconds per request; medians for first bytes.
struct NetworkFigures: Sendable {
    var time: Double
    var processor: Double
    /// The time until the first byte was received.
    var firstByte: Double
    /// The time until the reader has the first byte: small bodies arrive at the reader complete.
    var firstByteRead = 0.0
}

/// Each client fetches a body `count` times over `connections` connections.
struct NetworkClients {
    static let bodySize = 50_000
    /// One load in this many measures its first byte, because reading the clock is work that the loop in C does not do.
    private static let loadsPerFirstByte = 8

    /// The time to the first byte of a body.
    private struct FirstByte {
        let received: Duration
        let read: Duration
    }

    let server: WebServer

    /// `nil` when the program was not built.
    func bareLoop(_ count: Int, _ connections: Int, threads: Int = 0) async throws -> NetworkFigures? {
        let numbers = [count, connections, Self.bodySize, threads].map { "\($0)" }
        return try await peer([Programs.path("BareLoop"), server.url.absoluteString] + numbers, count)
    }

    /// Runs `URLSessionPeer` or `AsyncHTTPClientPeer` with the same number of requests for each connection. Returns
    /// `nil` when the program was not built.
    func program(_ name: String, _ count: Int, _ connections: Int) async throws -> NetworkFigures? {
        let command = [Programs.path(name), server.url.absoluteString, "\(count)", "\(connections)"]
        return try await peer(command, count / connections * connections)
    }

    /// Runs a program that prints the number of received bytes and its figures.
    private func peer(_ command: [String], _ count: Int) async throws -> NetworkFigures? {
        let output = server.folder.file("peer")
        return try await blocking {
            guard let program = try? ChildProcess(command, output: output) else { return nil }
            let status = program.wait().status
            let text = try String(contentsOfFile: output, encoding: .utf8)
            let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard status == 0, numbers.count == 4, numbers[0] == Double(Self.bodySize * count) else {
                throw Self.incomplete(command[0], count)
            }
            return NetworkFigures(time: numbers[1], processor: numbers[2], firstByte: numbers[3], firstByteRead: numbers[3])
        }
    }

    func ownLoader(_ count: Int, _ connections: Int) async throws -> NetworkFigures {
        let loader = Self.loader(connections)
        // The loader is created once, like that of the loop in C.
        let request = DataRequest(url: server.url)
        let figures = try await load(count, connections) { numbers in
            var firstBytes: [FirstByte] = []
            for number in numbers {
                var began = number % Self.loadsPerFirstByte == 0 ? ContinuousClock.now : nil
                var received = 0
                let response = try await loader.load(request)
                for try await chunk in response.body {
                    if let began = began.take(), let timing = response.timing {
                        firstBytes.append(FirstByte(received: timing.firstByte, read: .now - began))
                    }
                    received += chunk.count
                }
                guard response.head.status == .ok, received == Self.bodySize else { throw Self.incomplete("CurlLoader", 1) }
            }
            return firstBytes
        }
        await loader.close()
        return figures
    }

    /// Through `ImageLoader.data(for:)`: planning, coalescing and scheduling, with nothing cached or decoded.
    func engine(_ count: Int, _ connections: Int) async throws -> NetworkFigures {
        let loader = Self.loader(connections)
        var configuration = ImageLoader.Configuration(dataLoader: loader, decoder: Codecs.decoder)
        (configuration.limits.fetches, configuration.limits.fetchesPerHost) = (connections, connections)
        let engine = ImageLoader(configuration)
        let figures = try await load(count, connections) { numbers in
            for number in numbers {
                // Each load has another URL, because loads of the same URL would share a fetch.
                let url = try URL.parsed("\(server.url.absoluteString)?\(number)")
                guard try await engine.data(for: ImageRequest(url: url)).data.count == Self.bodySize else {
                    throw Self.incomplete("ImageLoader", 1)
                }
            }
            return []
        }
        await loader.close()
        return figures
    }

    private static func loader(_ connections: Int) -> CurlLoader {
        var limits = CurlLoader.Limits()
        (limits.connectionsPerHost, limits.connections) = (connections, connections)
        return CurlLoader(limits: limits)
    }

    /// Runs as many tasks as connections, each with one load after the other. `loads` receives the numbers of a task's
    /// loads and returns the times to the first bytes of some.
    private func load(
        _ count: Int, _ connections: Int, _ loads: @escaping @Sendable (Range<Int>) async throws -> [FirstByte]
    ) async throws -> NetworkFigures {
        let share = count / connections
        let (began, before) = (ContinuousClock.now, ProcessorTime.now)
        let firstBytes = try await withThrowingTaskGroup(of: [FirstByte].self) { group in
            for task in 0..<connections {
                group.addTask { try await loads(task * share..<(task + 1) * share) }
            }
            return try await group.reduce(into: [FirstByte]()) { $0 += $1 }
        }
        let (time, processor) = (ContinuousClock.now - began, ProcessorTime.now - before)
        func median(_ what: (FirstByte) -> Duration) -> Double {
            firstBytes.isEmpty ? 0 : firstBytes.map { what($0) / .microseconds(1) }.median
        }
        let loaded = share * connections
        return NetworkFigures(
            time: time / .microseconds(loaded), processor: processor / .microseconds(loaded), firstByte: median(\.received),
            firstByteRead: median(\.read))
    }

    /// `nil` when curl is not installed.
    func curlCommand(_ count: Int, _ connections: Int) async throws -> NetworkFigures? {
        let (url, output) = (server.url.absoluteString, server.folder.file("curl"))
        return try await blocking {
            let began = ContinuousClock.now
            let command = [
                "curl", "-sZ", "--parallel-max", "\(connections)", "--parallel-immediate", "\(url)?[1-\(count)]", "-o",
                "/dev/null",
                "-w", "%{time_starttransfer} %{size_download}\n",
            ]
            guard let curl = try? ChildProcess(command, output: output) else { return nil }
            let usage = curl.wait()
            let time = (.now - began) / .microseconds(count)
            let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
            let firstBytes = lines.filter { $0.hasSuffix(" \(Self.bodySize)") }.compactMap { Double($0.prefix { $0 != " " }) }
            guard usage.status == 0, firstBytes.count == count else {
                throw Self.incomplete("curl", count - firstBytes.count)
            }
            return NetworkFigures(
                time: time, processor: usage.processorTime / .microseconds(count), firstByte: firstBytes.median * 1e6)
        }
    }

    private static func incomplete(_ client: String, _ count: Int) -> ImageError {
        ImageError(.connectionLost, message: "\(count) of the bodies that \(client) fetched are incomplete.")
    }
}
