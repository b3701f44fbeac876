internal import HTTPTypes
internal import ImageCore
internal import ImageDecoding
internal import ImageLoading
internal import ImageNetworking
internal import ImageNetworkingCurl

internal import CalotypeSystem

extension BenchmarkSuite {
    /// Many small bodies from a web server on this machine, by this project's loaders and by what else there is. Each
    /// round runs all of them one after the other, so that what slows the machine down slows all of them.
    static let network = BenchmarkSuite(name: "network", about: "10,000 bodies of 50 KB from nginx on loopback") { effort in
        let server = try WebServer(bodySize: NetworkBench.bodySize)
        defer { server.stop() }
        try await server.waitUntilReady()
        let bench = NetworkBench(server: server, effort: effort)
        return try await bench.rows(connections: 8) + bench.rows(connections: 64)
    }
}

private struct NetworkBench {
    static let bodySize = 50_000
    /// Of so many loads, one tells how long its first byte took: taking the time is work of the bench's, which the loop in C
    /// need not do, since libcurl does it anyway.
    static let loadsPerFirstByte = 8

    /// What one run of one client took, in microseconds per request; of the first bytes medians.
    struct Figures {
        var time: Double
        var processor: Double
        /// Until it was received.
        var firstByte: Double
        /// Until the reader had it: small bodies are handed over whole.
        var firstByteRead = 0.0
    }

    /// How long the first byte of a body took.
    struct FirstByte {
        let received: Duration
        let read: Duration
    }

    let server: WebServer
    let effort: BenchmarkEffort

    func rows(connections: Int) async throws -> [BenchmarkRow] {
        let count = effort.scaled(10_000)
        var own: [Figures] = []
        var engine: [Figures] = []
        var bare: [Figures] = []
        var threaded: [Figures] = []
        var curl: [Figures] = []
        var session: [Figures] = []
        for _ in 0..<(effort == .smoke ? 2 : 7) {
            bare.append(try await bareLoop(count, connections))
            threaded.append(try await bareLoop(count, connections, threads: ProcessInfo.processInfo.activeProcessorCount))
            own.append(try await ownLoader(count, connections))
            engine.append(try await throughTheEngine(count, connections))
            curl.append(try await curlCommand(count, connections))
            // It takes its time: a part of the requests tells as much.
            session.append(try await urlSession(count / 10, connections))
        }
        func row(
            _ what: String, _ figure: (Figures) -> Double, of measured: [Figures]? = nil, _ peers: [Figures], _ name: String,
            _ reach: Double? = nil
        ) -> BenchmarkRow {
            BenchmarkRow(
                suite: "network", name: "\(what), \(connections) connections", median: Self.median((measured ?? own).map(figure)),
                unit: "µs",
                peer: BenchmarkRow.Peer(
                    name: name, value: Self.median(peers.map(figure)), ranHere: true, reach: reach))
        }
        return [
            // What is to be reached is a rate, of which 0.8 is 1.25 of the time, and processor time.
            row("time per request", \.time, bare, "libcurl loop in C", 1.25),
            row("processor per request", \.processor, bare, "libcurl loop in C", 1.3),
            row("first byte", \.firstByte, bare, "libcurl loop in C"),
            // What it costs in C to compute on other threads than one fetches on, as tasks do.
            row("time per request", \.time, threaded, "libcurl in C, threads", 1.25),
            row("processor per request", \.processor, threaded, "libcurl in C, threads", 1.3),
            row("time per request through the engine", \.time, of: engine, bare, "libcurl loop in C"),
            row("processor per request through the engine", \.processor, of: engine, bare, "libcurl loop in C"),
            row("time per request", \.time, curl, "curl --parallel", 1),
            row("processor per request", \.processor, curl, "curl --parallel", 1),
            row("first byte", \.firstByte, curl, "curl --parallel", 1),
            row("time per request", \.time, session, "URLSession", 1),
            row("processor per request", \.processor, session, "URLSession", 1),
            row("first byte at the reader", \.firstByteRead, session, "URLSession", 1),
        ]
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    // MARK: The clients

    private func bareLoop(_ count: Int, _ connections: Int, threads: Int = 0) async throws -> Figures {
        try await peer(
            "the loop in C", CommandLine.arguments[0],
            [BareLoopCommand.name, server.url.absoluteString] + [count, connections, Self.bodySize, threads].map { "\($0)" },
            count)
    }

    private func ownLoader(_ count: Int, _ connections: Int) async throws -> Figures {
        let loader = Self.loader(connections)
        // Made once, as the loop in C makes its own.
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
                guard response.head.status == .ok, received == Self.bodySize else { throw Self.incomplete("the loader", 1) }
            }
            return firstBytes
        }
        await loader.close()
        return figures
    }

    /// As many requests for every connection.
    private func urlSession(_ count: Int, _ connections: Int) async throws -> Figures {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "URLSessionPeer")
        return try await peer(
            "URLSession", program.path, [server.url.absoluteString, "\(count)", "\(connections)"],
            count / connections * connections)
    }

    /// A program beside this one, which prints the bytes that it got, and its figures.
    private func peer(_ name: String, _ program: String, _ arguments: [String], _ count: Int) async throws -> Figures {
        let output = server.folder + "/peer"
        return try await BlockingWork.run {
            let status = try ChildProcess(program, arguments, output: output).wait().status
            let text = try String(decoding: Data(contentsOf: URL(filePath: output)), as: UTF8.self)
            let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard status == 0, numbers.count == 4, numbers[0] == Double(Self.bodySize * count) else {
                throw Self.incomplete(name, count)
            }
            return Figures(time: numbers[1], processor: numbers[2], firstByte: numbers[3], firstByteRead: numbers[3])
        }
    }

    /// What a load costs from the front door on: planning, coalescing and scheduling, with nothing cached or decoded.
    private func throughTheEngine(_ count: Int, _ connections: Int) async throws -> Figures {
        let loader = Self.loader(connections)
        var configuration = ImageLoader.Configuration(dataLoader: loader, decoder: DecoderRegistry())
        (configuration.limits.fetches, configuration.limits.fetchesPerHost) = (connections, connections)
        let engine = ImageLoader(configuration)
        let figures = try await load(count, connections) { numbers in
            for number in numbers {
                // Another URL each time, since loads of the same one would share a fetch.
                guard let url = URL(string: "\(server.url.absoluteString)?\(number)"),
                    try await engine.data(for: ImageRequest(url: url)).data.count == Self.bodySize
                else { throw Self.incomplete("the engine", 1) }
            }
            return []
        }
        await loader.close()
        return figures
    }

    private static func loader(_ connections: Int) -> CurlLoader {
        var configuration = CurlLoader.Configuration()
        (configuration.connectionsPerHost, configuration.connections) = (connections, connections)
        return CurlLoader(configuration)
    }

    /// As many tasks as connections, each with one load after the other; a task is told their numbers, and may return how long the
    /// first bytes of some took.
    private func load(
        _ count: Int, _ connections: Int, _ loads: @escaping @Sendable (Range<Int>) async throws -> [FirstByte]
    ) async throws -> Figures {
        let share = count / connections
        let (began, before) = (ContinuousClock.now, ProcessorTime.ofThisProcess)
        let firstBytes = try await withThrowingTaskGroup(of: [FirstByte].self) { group in
            for task in 0..<connections {
                let numbers = task * share..<(task + 1) * share
                group.addTask { try await loads(numbers) }
            }
            return try await group.reduce(into: [FirstByte]()) { $0 += $1 }
        }
        let (time, processor) = (ContinuousClock.now - began, ProcessorTime.ofThisProcess - before)
        // Only now, since to make a number of a duration costs as much as to take it.
        func microseconds(_ duration: Duration) -> Double { Units.milliseconds(duration) * 1000 }
        func median(_ what: (FirstByte) -> Duration) -> Double {
            firstBytes.isEmpty ? 0 : Self.median(firstBytes.map { microseconds(what($0)) })
        }
        let loaded = Double(share * connections)
        return Figures(
            time: microseconds(time) / loaded, processor: microseconds(processor) / loaded, firstByte: median(\.received),
            firstByteRead: median(\.read))
    }

    private func curlCommand(_ count: Int, _ connections: Int) async throws -> Figures {
        let (url, output) = (server.url.absoluteString, server.folder + "/curl")
        return try await BlockingWork.run {
            let began = ContinuousClock.now
            let curl = try ChildProcess(
                "curl",
                [
                    "-sZ", "--parallel-max", "\(connections)", "--parallel-immediate", "\(url)?[1-\(count)]", "-o", "/dev/null",
                    "-w", "%{time_starttransfer} %{size_download}\n",
                ], output: output)
            let usage = curl.wait()
            let time = Units.milliseconds(.now - began) * 1000 / Double(count)
            let lines = try String(decoding: Data(contentsOf: URL(filePath: output)), as: UTF8.self).split(separator: "\n")
            let firstBytes = lines.filter { $0.hasSuffix(" \(Self.bodySize)") }.compactMap { Double($0.prefix { $0 != " " }) }
            guard usage.status == 0, firstBytes.count == count else {
                throw Self.incomplete("curl", count - firstBytes.count)
            }
            return Figures(
                time: time, processor: Units.milliseconds(usage.processorTime) * 1000 / Double(count),
                firstByte: Self.median(firstBytes) * 1e6)
        }
    }

    private static func incomplete(_ who: String, _ count: Int) -> ImageError {
        ImageError(.connectionLost, message: "\(count) of the bodies that \(who) fetched did not come whole.")
    }
}
