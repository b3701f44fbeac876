internal import ImageCore
internal import ImageLoading

/// Loads many requests, so many at a time, with progress bars where somebody watches.
struct Batch: Sendable {
    struct Item: Sendable {
        let name: String
        /// `nil` fails the item without a load.
        let request: Result<ImageRequest, ImageError>
    }

    let loader: ImageLoader
    var concurrency = 8
    /// Called with each image as soon as it is there; what it throws fails the item. Returns where it was written.
    var deliver: @Sendable (_ index: Int, ImageResponse) async throws -> String? = { _, _ in nil }

    /// One report for each item, in order.
    func run(_ items: [Item]) async -> [LoadReport] {
        let bars = items.count > 1 && Console.showsProgress ? ProgressBars(names: items.map(\.name)) : nil
        defer { bars?.close() }
        return await withTaskGroup(of: (Int, LoadReport).self) { group in
            var reports: [LoadReport?] = Array(repeating: nil, count: items.count)
            var next = 0
            func startOne() {
                guard next < items.count else { return }
                let index = next
                group.addTask { (index, await report(on: items[index], index, bars)) }
                next += 1
            }
            for _ in 0..<max(1, concurrency) { startOne() }
            for await (index, report) in group {
                reports[index] = report
                startOne()
            }
            return reports.compactMap { $0 }
        }
    }

    private func report(on item: Item, _ index: Int, _ bars: ProgressBars?) async -> LoadReport {
        let began = ContinuousClock.now
        bars?.update(index) { $0.isRunning = true }
        defer { bars?.update(index) { $0.hasEnded = true } }
        var output: String?
        let result: Result<ImageResponse, LoadFailure>
        do {
            let response = try await load(try item.request.get(), index, bars).get()
            output = try await deliver(index, response)
            result = .success(response)
        } catch let failure as LoadFailure {
            result = .failure(failure)
        } catch {
            result = .failure(.failed(.wrapping(error, stage: .deliver, source: item.name)))
        }
        return LoadReport(source: item.name, result: result, total: ContinuousClock.now - began, output: output)
    }
    private func load(_ request: ImageRequest, _ index: Int, _ bars: ProgressBars?) async -> Result<ImageResponse, LoadFailure> {
        await withCheckedContinuation { continuation in
            _ = loader.load(request) { event in
                switch event {
                case .progress(let progress): bars?.update(index) { $0.progress = progress }
                case .preview: break
                case .finished(let result): continuation.resume(returning: result)
                }
            }
        }
    }
}
