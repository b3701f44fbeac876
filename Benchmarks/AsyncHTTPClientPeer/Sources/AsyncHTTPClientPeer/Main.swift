import AsyncHTTPClient
import Foundation
import NIOCore

/// `AsyncHTTPClientPeer URL COUNT CONNECTIONS` fetches a URL COUNT times with AsyncHTTPClient. It prints the bytes of
/// all bodies, the microseconds of time and of processor time per request, and the median microseconds to the first
/// byte.
@main
enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[2]), let connections = Int(arguments[3]), count >= connections,
            connections > 0
        else {
            print("usage: AsyncHTTPClientPeer URL COUNT CONNECTIONS, with at least one request for each connection")
            throw CancellationError()
        }
        let share = count / connections
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let (began, before) = (ContinuousClock.now, processorMicroseconds)
        var (firstBytes, bytes) = ([Double](), 0)
        try await withThrowingTaskGroup(of: ([Double], Int).self) { group in
            for _ in 0..<connections { group.addTask { try await fetch(arguments[1], share, by: client) } }
            for try await part in group {
                firstBytes += part.0
                bytes += part.1
            }
        }
        let fetched = share * connections
        print(
            bytes, (.now - began) / .microseconds(fetched), (processorMicroseconds - before) / Double(fetched),
            firstBytes.sorted()[fetched / 2])
        try await client.shutdown()
    }

    /// Sends one request after the other. Returns the microseconds to each first byte, and the bytes of all bodies.
    private static func fetch(_ url: String, _ count: Int, by client: HTTPClient) async throws -> ([Double], Int) {
        let request = HTTPClientRequest(url: url)
        var (firstBytes, bytes) = ([Double](), 0)
        for _ in 0..<count {
            let began = ContinuousClock.now
            var isFirst = true
            for try await chunk in try await client.execute(request, timeout: .seconds(30)).body {
                if isFirst { firstBytes.append((.now - began) / .microseconds(1)) }
                isFirst = false
                bytes += chunk.readableBytes
            }
        }
        return (firstBytes, bytes)
    }

    /// The processor time of this process so far, in user and kernel mode.
    private static var processorMicroseconds: Double {
        var usage = rusage()
        // RUSAGE_SELF is a number on Apple platforms and an enumeration in Glibc.
        _ = getrusage(0, &usage)
        func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
        return microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
    }
}
