public import ImageCore

/// Writes what a loader does as a trace for Perfetto (ui.perfetto.dev) or `chrome://tracing`: each load is one track,
/// with its stages (`network`) and their waits (`network queue`) as intervals inside. An arrow leads from a load to
/// those that joined its work.
///
/// The file is a JSON array of the Trace Event Format (Chromium project, "Trace Event Format", 2016), async events `b`,
/// `n` and `e` by load, with an arrow from `flow_out` to each `flow_in` of the same `bind_id`:
///
/// ```
/// [
/// {"bind_id":"0x1","cat":"load","flow_out":true,"id":"0x1","name":"https://example.org/cat.jpg","ph":"b","pid":7,"tid":1,"ts":12.5},
/// {"cat":"load","id":"0x1","name":"network","ph":"b","pid":7,"tid":1,"ts":90.1},
/// {"args":{"load":1},"bind_id":"0x1","cat":"load","flow_in":true,"id":"0x2","name":"joined","ph":"n","pid":7,"tid":1,"ts":95.7}
/// ]
/// ```
///
/// Every write leaves a whole array behind, so that the trace of a process that was killed opens too, up to the last
/// write. URLs appear without credentials, and without the values of their query unless `hidesQueries` is `false`.
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

        mutating func append(_ event: Data?, at time: Duration, isEnd: Bool) {
            guard failure == nil, let event, file.append(event) else {
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

    /// Creates the file, or replaces it.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - maximumBytes: of the file; events beyond it are dropped and counted. 64 MiB.
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

    /// How many events were dropped, because the file had reached its limit or could not be written.
    public var droppedEvents: Int { state.withLock { $0.dropped } }

    /// The error that ended writing; `nil` while the file is written.
    public var failure: ImageError? { state.withLock { $0.failure } }

    /// Writes the events since the last write. The observer does so itself for every 64 KiB, and once a second when a
    /// load ends.
    public func flush() { state.withLock { $0.flush(at: now()) } }

    public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        let time = now()
        var event = TraceEvent(load: load, processID: processID, time: time)
        switch observation {
        case .started:
            event.name = URLRedaction.text(of: request.source, hidesQueries: hidesQueries)
            event.phase = .begin
            event.beginFlows()
            event.arguments = .init(purpose: "\(request.purpose)")
        case .joined(let other):
            event.name = "joined"
            event.endFlow(from: other)
            event.arguments = .init(load: Int(clamping: other.rawValue))
        case .waitBegan(let stage): (event.name, event.phase) = ("\(stage.rawValue) queue", .begin)
        case .waitEnded(let stage, _): (event.name, event.phase) = ("\(stage.rawValue) queue", .end)
        case .progress(let progress):
            event.name = "progress"
            event.arguments = .init(received: progress.received, expected: progress.expected)
        case .stageBegan(let stage): (event.name, event.phase) = (stage.rawValue, .begin)
        case .stageEnded(let stage, _): (event.name, event.phase) = (stage.rawValue, .end)
        case .cacheLookup(let tier, let isHit):
            event.name = "\(tier.rawValue) \(isHit ? "hit" : "miss")"
        case .cacheFailed(let error):
            event.name = "cache failed"
            event.arguments = .init(error: error.code.name)
        case .finished(let result):
            event.name = URLRedaction.text(of: request.source, hidesQueries: hidesQueries)
            event.phase = .end
            event.add(result)
        }
        let isEnd = if case .finished = observation { true } else { false }
        let encoded = try? event.encoded()
        state.withLock { $0.append(encoded, at: time, isEnd: isEnd) }
    }
}
