internal import Foundation
internal import ImageCore
internal import ImageNetworkingFoundation

/// `URLSessionPeer URL COUNT CONNECTIONS` fetches a URL COUNT times with URLSession. It prints the bytes of all bodies,
/// the microseconds of time and of processor time per request, and the median microseconds to the first byte.
@main
enum Main {
    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst(2).compactMap { Int($0) }
        guard CommandLine.arguments.count == 4, numbers.count == 2, numbers.allSatisfy({ $0 > 0 }),
            let url = URL(string: CommandLine.arguments[1])
        else {
            throw ImageError(.invalidRequest, message: "The arguments are a URL, how many requests, and how many at once.")
        }
        let (connections, share) = (numbers[1], max(1, numbers[0] / numbers[1]))
        let loader = URLSessionLoader(connectionsPerHost: connections)
        let (began, before) = (ContinuousClock.now, processorTime)
        var (firstBytes, bytes) = ([Double](), 0)
        try await withThrowingTaskGroup(of: ([Double], Int).self) { group in
            for _ in 0..<connections { group.addTask { try await fetch(url, share, by: loader) } }
            for try await part in group {
                firstBytes += part.0
                bytes += part.1
            }
        }
        let count = Double(share * connections)
        let time = microseconds(.now - began) / count
        print(bytes, time, (processorTime - before) / count, firstBytes.sorted()[firstBytes.count / 2])
    }

    /// Sends one request after the other. Returns the microseconds to each first byte, and the bytes of all bodies.
    private static func fetch(_ url: URL, _ count: Int, by loader: URLSessionLoader) async throws -> ([Double], Int) {
        var (firstBytes, bytes) = ([Double](), 0)
        for _ in 0..<count {
            let began = ContinuousClock.now
            let response = try await loader.load(DataRequest(url: url))
            var isFirst = true
            for try await chunk in response.body {
                if isFirst { firstBytes.append(microseconds(.now - began)) }
                isFirst = false
                bytes += chunk.count
            }
        }
        return (firstBytes, bytes)
    }

    private static func microseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) / 1e12
    }

    /// The processor time of this process so far, in user and kernel mode, in microseconds.
    private static var processorTime: Double {
        var usage = rusage()
        // RUSAGE_SELF is a number on Apple platforms and an enumeration in Glibc.
        _ = unsafe getrusage(0, &usage)
        func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
        return microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
    }
}
