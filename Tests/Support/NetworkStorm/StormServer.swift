internal import CalotypeSystem
internal import Foundation
internal import ImageCore
internal import LoopbackHTTP

/// The server, in a separate process, so that its memory does not count as the loader's.
///
/// It prints the ports of its hosts, responds correctly after a line of input, and ends when its input does.
final class StormServer: Sendable {
    private struct State {
        var attempts: [String: Int] = [:]
        var files: [String: [UInt8]] = [:]
        var isHealthy = false
    }

    private let state = Lock(State())

    static func run() throws {
        // An interrupt reaches every process of a terminal; this process ends with its parent.
        _ = signal(SIGINT, SIG_IGN)
        _ = signal(SIGPIPE, SIG_IGN)
        let storm = StormServer()
        let ports = Lock<[Int]>([])
        let servers = try (0..<StormRun.hosts).map { _ in
            try LoopbackServer { request, connection in
                try storm.respond(to: request, on: connection, ports: ports.withLock { $0 })
            }
        }
        ports.withLock { $0 = servers.map(\.port) }
        let line = servers.map { "\($0.port)" }.joined(separator: " ")
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
        // The servers stop when they are deallocated.
        withExtendedLifetime(servers) {
            while readLine() != nil { storm.state.withLock { $0.isHealthy = true } }
        }
        exit(0)
    }

    private func respond(to request: LoopbackServer.Request, on connection: LoopbackServer.Connection, ports: [Int]) throws {
        var (path, hops) = (request.path, 0)
        let (attempt, isHealthy) = state.withLock { state in
            state.attempts[path, default: 0] += 1
            return (state.attempts[path, default: 0], state.isHealthy)
        }
        while path.hasPrefix("/hop/") { (path, hops) = (String(path.dropFirst(4)), hops + 1) }
        let exchange = Exchange(
            request: request, connection: connection, attempt: attempt, ports: ports, image: StormImage(path: path),
            file: try file(path), otherFile: try file("/other" + path))
        if hops > 1 { return try exchange.redirect("301 Moved Permanently", to: String(request.target.dropFirst(4))) }
        let name = path.split(separator: "/").first.map { String($0) } ?? ""
        guard !isHealthy, hops == 0, let misbehaviour = Misbehaviour.byName[name] else { return try exchange.sendProperly() }
        try misbehaviour.respond(exchange)
    }

    private func file(_ path: String) throws -> [UInt8] {
        if let file = state.withLock({ $0.files[path] }) { return file }
        let file = try StormImage(path: path).file()
        state.withLock { $0.files[path] = file }
        return file
    }
}

/// The server process, from the side of the loader's process.
final class ServerProcess {
    let ports: [Int]
    private let process = Process()
    private let input = Pipe()

    init() throws {
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["--serve"]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        ports = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard ports.count == StormRun.hosts else {
            throw ImageError(.connectionFailed, message: "The server did not start.")
        }
    }

    /// Makes the server respond correctly from now on.
    func stopMisbehaving() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }
    var isRunning: Bool { process.isRunning }
}
