internal import ArgumentParser
internal import CCalotypeBareLoop
internal import ImageCore

/// Fetches a URL again and again by a loop in C around libcurl: what the benchmark runs as a process of its own, since a loader
/// has libcurl take its memory another way, for all of a process. Prints the bodies' bytes in all, then the microseconds of time
/// and of processor per request and the median to the first byte.
struct BareLoopCommand: ParsableCommand {
    static let name = "bare-loop"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Fetches a URL again and again, for the benchmark.", shouldDisplay: false)

    @Argument(help: "The URL.")
    var url: String

    @Argument(help: "How many requests.")
    var count: Int

    @Argument(help: "How many at once.")
    var connections: Int

    @Argument(help: "How many bytes every body has.")
    var bodySize: Int

    @Argument(help: "How many threads the bodies are handed to; 0 for none.")
    var threads = 0

    func validate() throws {
        guard 1...1_000_000 ~= count, 1...1024 ~= connections, 1...(1 << 30) ~= bodySize, 0...1024 ~= threads else {
            throw ValidationError(
                "At most a million requests, 1,024 at once, and 1 GB each, one at least; at most 1,024 threads.")
        }
    }

    func run() {
        var firstBytes = [Double](repeating: 0, count: max(count, connections))
        // A process that others are compared with has its libraries and some memory already.
        _ = unsafe calotype_bare_loop(url, connections, connections, threads, bodySize, &firstBytes)
        let (began, before) = (ContinuousClock.now, ProcessorTime.ofThisProcess)
        let failed = unsafe calotype_bare_loop(url, count, connections, threads, bodySize, &firstBytes)
        let (time, processor) = (ContinuousClock.now - began, ProcessorTime.ofThisProcess - before)
        let perRequest = [time, processor].map { Units.milliseconds($0) * 1000 / Double(count) }
        print((count - failed) * bodySize, perRequest[0], perRequest[1], firstBytes[..<count].sorted()[count / 2])
    }
}
