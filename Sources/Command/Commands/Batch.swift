internal import ImageCore
internal import ImageLoading

/// Loads many requests, a limited number at once, with progress bars on a terminal.
///
/// Each request is created when its load starts, and each report is passed on when the load ends, so that memory does
/// not grow with the number of requests.
struct Batch: Sendable {
    struct Item: Sendable {
        let name: String
        /// The name of an output file without its extension.
        var stem = ""
        /// A failure is reported without a load.
        let request: Result<ImageRequest, ImageError>
    }

    let loader: ImageLoader
    var concurrency = 8
    /// Called with each image when its load ends. Returns the path that the image was written to. An error fails the
    /// item.
    var deliver: @Sendable (_ index: Int, Item, ImageResponse) async throws -> String? = { _, _, _ in nil }

    /// Loads `count` items, and calls `report` once for each when its load ends, one call at a time. The progress bars
    /// are erased during the call.
    func run(_ count: Int, item: @escaping @Sendable (Int) -> Item, report: (LoadReport) -> Void) async {
        let bars = Console.showsProgress ? ProgressBars(total: count) : nil
        defer { bars?.close() }
        await withTaskGroup(of: LoadReport.self) { group in
            var next = 0
            func startOne() {
                guard next < count else { return }
                let index = next
                group.addTask { await self.load(item(index), index, bars) }
                next += 1
            }
            for _ in 0..<max(1, concurrency) { startOne() }
            for await ended in group {
                if let bars { bars.printAbove { report(ended) } } else { report(ended) }
                startOne()
            }
        }
    }

    private func load(_ item: Item, _ index: Int, _ bars: ProgressBars?) async -> LoadReport {
        let start = ContinuousClock.now
        bars?.update { $0.start(index, name: item.name) }
        defer { bars?.update { $0.end(index) } }
        var output: String?
        let result: Result<LoadReport.Facts, LoadFailure>
        do {
            let task = loader.task(for: try item.request.get())
            for await event in task.events {
                if case .progress(let progress) = event { bars?.update { $0.advance(index, to: progress) } }
            }
            let response = try await task.response
            output = try await deliver(index, item, response)
            result = .success(LoadReport.Facts(response))
        } catch let failure as LoadFailure {
            result = .failure(failure)
        } catch {
            result = .failure(.failed(.wrapping(error, stage: .deliver, source: item.name)))
        }
        return LoadReport(
            index: index, source: item.name, result: result, total: ContinuousClock.now - start, output: output)
    }
}
