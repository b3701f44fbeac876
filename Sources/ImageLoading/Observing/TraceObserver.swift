public import ImageCore

/// Writes what a loader does as a trace for Perfetto (ui.perfetto.dev) or `chrome://tracing`: each load is a track of its
/// own, with its stages (`network`) and their waits (`network queue`) as intervals inside. An arrow leads from a load to those that
/// joined its work.
///
/// The file is a JSON array of the Trace Event Format (Chromium project, "Trace Event Format", 2016), async events `b`, `n`
/// and `e` by load, with an arrow from `flow_out` to each `flow_in` of the same `bind_id`:
///
/// ```
/// [
/// {"name":"https://example.org/cat.jpg","cat":"load","ph":"b","id":"0x1","pid":7,"tid":1,"ts":12.5,"bind_id":"0x1","flow_out":true},
/// {"name":"network","cat":"load","ph":"b","id":"0x1","pid":7,"tid":1,"ts":90.1},
/// {"name":"joined","cat":"load","ph":"n","id":"0x2","pid":7,"tid":1,"ts":95.7,"bind_id":"0x1","flow_in":true,"args":{"load":1}}
/// ]
/// ```
///
/// Every write leaves a whole array behind, so that the trace of a process that was killed opens too, up to the last
/// write. URLs appear without credentials, and without the values of their query unless asked for.
///
/// ```swift
/// let trace = try TraceObserver(path: "loads.json")
/// let loader = ImageLoader.standard { $0.observers = [trace] }
/// _ = try await loader.image(for: URL(string: "https://example.org/cat.jpg")!)
/// trace.flush()
/// ```
public final class TraceObserver: LoadObserving {
    private struct State {
        var file: TraceFile
        var dropped = 0
        var failure: ImageError?
        var flushedAt: Duration = .zero

        mutating func append(_ text: String, at time: Duration, isEnd: Bool) {
            guard failure == nil, file.append(text) else {
                dropped += 1
                return
            }
            if file.gathered >= 1 << 16 || isEnd && time - flushedAt >= .seconds(1) { flush(at: time) }
        }

        mutating func flush(at time: Duration) {
            guard failure == nil else { return }
            flushedAt = time
            do throws(ImageError) {
                try file.flush()
            } catch {
                failure = error
            }
        }
    }

    private let state: Lock<State>
    private let hidesQueries: Bool
    private let processID: Int
    private let now: @Sendable () -> Duration

    /// Makes the file, or replaces it.
    ///
    /// - Parameters:
    ///   - maximumBytes: of the file; what would go beyond is left out and counted. 64 MiB.
    ///   - hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true`.
    /// - Throws: ``ImageError/Code/fileUnwritable``.
    public convenience init(path: String, maximumBytes: Int = 64 << 20, hidesQueries: Bool = true) throws(ImageError) {
        let began = ContinuousClock.now
        try self.init(path: path, maximumBytes: maximumBytes, hidesQueries: hidesQueries) { ContinuousClock.now - began }
    }

    /// - Parameter now: the time since the trace began.
    init(
        path: String, maximumBytes: Int, hidesQueries: Bool = true, now: @escaping @Sendable () -> Duration
    ) throws(ImageError) {
        state = Lock(State(file: try TraceFile(path: path, maximumBytes: maximumBytes)))
        self.hidesQueries = hidesQueries
        processID = Int(ProcessInfo.processInfo.processIdentifier)
        self.now = now
    }

    deinit {
        flush()
        state.withLock { $0.file.endWriting() }
    }

    /// How many events were left out, because the file had reached its limit or could not be written.
    public var droppedEvents: Int { state.withLock { $0.dropped } }

    /// Why the file is not written any more; `nil` while it is.
    public var failure: ImageError? { state.withLock { $0.failure } }

    /// Writes what has been gathered. Done by itself for every 64 KiB, and once a second when a load ends.
    public func flush() { state.withLock { $0.flush(at: now()) } }

    public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        var event = TraceEvent(load: load, processID: processID, time: now())
        switch observation {
        case .started:
            event.name = URLRedaction.text(of: request.source, hidesQueries: hidesQueries)
            (event.phase, event.flow) = (.begin, .out)
            event.arguments["purpose"] = .string("\(request.purpose)")
        case .joined(let other):
            (event.name, event.flow) = ("joined", .from(other))
            event.arguments["load"] = .number(Int(clamping: other.rawValue))
        case .waitBegan(let stage): (event.name, event.phase) = ("\(stage.rawValue) queue", .begin)
        case .waitEnded(let stage, _): (event.name, event.phase) = ("\(stage.rawValue) queue", .end)
        case .progress(let progress):
            event.name = "progress"
            event.arguments["received"] = .number(progress.received)
            if let expected = progress.expected { event.arguments["expected"] = .number(expected) }
        case .stageBegan(let stage): (event.name, event.phase) = (stage.rawValue, .begin)
        case .stageEnded(let stage, _): (event.name, event.phase) = (stage.rawValue, .end)
        case .cacheLookup(let tier, let isHit):
            event.name = "\(tier.rawValue) \(isHit ? "hit" : "miss")"
        case .cacheFailed(let error):
            event.name = "cache failed"
            event.arguments["error"] = .string(error.code.name)
        case .finished(let result):
            event.name = URLRedaction.text(of: request.source, hidesQueries: hidesQueries)
            event.phase = .end
            event.add(result)
        }
        let isEnd = if case .finished = observation { true } else { false }
        let text = event.json
        state.withLock { $0.append(text, at: event.time, isEnd: isEnd) }
    }
}
