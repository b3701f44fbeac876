@testable import AppleGallery
import Calotype
import CalotypeSystem
import CalotypeTesting
import Foundation
@testable import ImageCaching
import ImageCore
import ImageLoading
import Network
import Testing
import UIKit
import WatchKit
import os

/// The parts of the framework that use services of the system.
@Suite(.serialized, .timeLimit(.minutes(1))) struct AppleSystems {
    private func imageFile(_ red: UInt8) -> Data { Data("TOYj".utf8) + [4, 4, 1, 1, 0, red, 0, 0, 255] }

    private func loader(_ change: (inout StandardConfiguration) -> Void = { _ in }) -> ImageLoader {
        .standard {
            $0.dataCache = nil
            // Memory pressure on the machine must not change the test.
            $0.memoryCache = MemoryCache(respondsToPressure: false)
            change(&$0)
        }
    }

    private final class NoticeRecorder: Sendable {
        private let log = EventLog<MemoryPressure>()
        let notices: AppNotices
        init() { notices = AppNotices { [log] in log.append($0) } }
        var events: [MemoryPressure] { log.events }
    }

    @Test func appNoticesReportMemoryWarningsAndTheBackgroundUntilTheyAreReleased() {
        var recorder: NoticeRecorder? = NoticeRecorder()
        weak let notices = recorder?.notices
        NotificationCenter.default.post(name: UIApplication.didReceiveMemoryWarningNotification, object: nil)
        NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
        #expect(recorder?.events == [.critical, .background])
        recorder = nil
        #expect(notices == nil)
        NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
    }

    /// A widget may use some tens of megabytes of a machine that has gigabytes.
    @Test func theLimitOfTheProcessIsTheAvailableMemory() {
        func available() -> Int { AvailableMemory.smallest(machine: 6 << 30, limits: [AvailableMemory.processLimit]) }
        availableMemoryOfProcess = 30 << 20
        defer { availableMemoryOfProcess = 0 }
        #expect(available() == 30 << 20)
        availableMemoryOfProcess = 0
        #expect(available() == 6 << 30)
    }

    @Test func theStandardLoaderDecodesWithImageIOAndReadsFiles() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString).toy")
        try imageFile(33).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let image = try await loader().image(for: file)
        #expect(image.format == .jpeg && TestImages.pixel(of: image, x: 1, y: 1)[0] == 33)
        do {
            _ = try await loader().image(for: URL(filePath: "/nowhere/at/all"))
            Issue.record("A file that does not exist was loaded.")
        } catch {
            #expect(error.error?.code == .fileUnreadable)
        }
    }

    @Test @MainActor func viewsUseTheSharedLoaderByDefault() async throws {
        ImageLoader.shared = loader()
        let (view, watch, done) = (
            UIImageView(frame: CGRect(x: 0, y: 0, width: 4, height: 4)), WKInterfaceImage(), EventLog<Void>()
        )
        let request = ImageRequest(.bytes(imageFile(9), id: "shared"))
        view.calotype.setImage(with: request) { _ in done.append(()) }
        watch.calotype.setImage(with: request) { _ in done.append(()) }
        await done.wait(forCount: 2)
        #expect(view.image?.cgImage?.width == 4 && watch.image?.cgImage?.width == 4)
    }

    @Test @MainActor func aListPrefetchesItsNextImagesAndCancelsPrefetches() async throws {
        let loader = loader()
        let requests = (0..<3).map { ImageRequest(.bytes(imageFile(UInt8($0)), id: "cell \($0)")) }
        let prefetcher = ImagePrefetcher(loader: loader)
        let list = ListPrefetcher(prefetcher) { $0[1] < 3 ? requests[$0[1]] : nil }
        let (grid, table) = (UICollectionView(), UITableView())
        (grid.prefetchDataSource, table.prefetchDataSource) = (list, list)
        prefetcher.isPaused = true
        grid.prefetchDataSource?.collectionView(grid, prefetchItemsAt: [[0, 0], [0, 1], [0, 7]])
        table.prefetchDataSource?.tableView(table, prefetchRowsAt: [[0, 2]])
        grid.prefetchDataSource?.collectionView(grid, cancelPrefetchingForItemsAt: [[0, 1]])
        #expect(prefetcher.activity.waiting == 2)
        prefetcher.isPaused = false
        await prefetcher.waitUntilIdle()
        #expect(requests.map { loader.cachedImage(for: $0) != nil } == [true, false, true])
    }

    /// The example of a collection view.
    @Test @MainActor func aCellShowsWhatItsListPrefetchedAndAReusedOneForgetsIt() async throws {
        let loader = loader()
        ImageLoader.shared = loader
        let (grid, view, window) = (PhotoGrid(), UICollectionView(), UIWindow())
        grid.photos = try (0..<3).map { number in
            let url = URL(string: "data:;base64," + imageFile(UInt8(number)).base64EncodedString())
            return Photo(url: try #require(url), title: "Photo \(number)")
        }
        view.makeCell = { PhotoCell(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) }
        window.addSubview(view)
        grid.connect(to: view, cellSize: CGSize(width: 100, height: 100))
        view.prefetchDataSource?.collectionView(view, prefetchItemsAt: [[0, 0], [0, 7]])
        var prefetched = grid.photos[0].request
        (prefetched.options.targetSize, prefetched.options.contentMode) = (PixelSize(200), .fill)
        while loader.cachedImage(for: prefetched) == nil { await Task.yield() }
        func imageView(_ item: Int) -> UIImageView? {
            view.visible[[0, item]]?.subviews.first?.subviews.first as? UIImageView
        }
        view.scroll(to: [[0, 0]])
        let cell = try #require(imageView(0))
        #expect(cell.image != nil && cell.accessibilityLabel == "Photo 0")
        view.scroll(to: [[0, 1]])
        #expect(imageView(1) === cell && cell.image == nil && cell.accessibilityLabel == "Photo 1")
    }

    @Test @MainActor func aListThatHasChangedCancelsWhatItStarted() async throws {
        let loader = loader()
        var requests = (0..<3).map { ImageRequest(.bytes(imageFile(UInt8($0)), id: "changed \($0)")) }
        let all = requests
        let prefetcher = ImagePrefetcher(loader: loader)
        // Like the closure of an app that does not expect positions of old data.
        let list = ListPrefetcher(prefetcher) { requests[$0.item] }
        let grid = UICollectionView()
        grid.prefetchDataSource = list
        prefetcher.isPaused = true
        grid.prefetchDataSource?.collectionView(grid, prefetchItemsAt: [[0, 0], [0, 1], [0, 2]])
        requests.removeFirst(2)
        grid.prefetchDataSource?.collectionView(grid, cancelPrefetchingForItemsAt: [[0, 0], [0, 2]])
        prefetcher.isPaused = false
        await prefetcher.waitUntilIdle()
        #expect(all.map { loader.cachedImage(for: $0) != nil } == [false, true, false])
    }

    @Test func theMonitorReportsTheSystemsLowDataMode() async throws {
        let monitor = NetworkMonitor()
        // The first use starts it.
        #expect(!monitor.status.isConstrained)
        var path = NWPath()
        path.isConstrained = true
        NWPathMonitor.report(path)
        #expect(monitor.status.isConstrained)
        path.isConstrained = false
        NWPathMonitor.report(path)
        #expect(!monitor.status.isConstrained)
    }

    /// URLSession is wrapped in the same loaders as libcurl on Linux.
    @Test func retriesDataURLsAndAdditionalSchemesWorkAsOnEveryPlatform() async throws {
        let attempts = EventLog<Void>()
        let network = ScriptedLoader { [file = imageFile(7)] _ in
            attempts.append(())
            return attempts.count < 3 ? .failure(ImageError(.connectionLost, message: "Lost.")) : .body(file)
        }
        let loader = loader {
            $0.network = network
            $0.retryPolicy = RetryPolicy(maximumRetries: 2, baseDelay: .zero, multiplier: 1)
            $0.schemes["custom"] = network
        }
        _ = try await loader.image(for: try #require(URL(string: "https://example.org/a.toy")))
        #expect(attempts.count == 3)
        _ = try await loader.image(for: try #require(URL(string: "custom:a")))
        let inline = "data:;base64," + imageFile(8).base64EncodedString()
        let image = try await loader.image(for: try #require(URL(string: inline)))
        #expect(TestImages.pixel(of: image, x: 1, y: 1)[0] == 8)
    }

    @Test func everySignpostIntervalOfALoadEnds() async throws {
        let loader = loader { $0.observers = [SignpostObserver()] }
        OSSignposter.log.withLock { $0 = [] }
        _ = try await loader.image(for: ImageRequest(.bytes(imageFile(1), id: "signposts")))
        let lines = OSSignposter.log.withLock { $0 }.map { $0.split(separator: " ").prefix(3).map(String.init) }
        let (begun, ended) = (lines.filter { $0[0] == "begin" }, lines.filter { $0[0] == "end" })
        #expect(begun.contains { $0[1] == "load" } && begun.contains { $0[1] == "decode" })
        #expect(Set(begun.map { $0.dropFirst() }) == Set(ended.map { $0.dropFirst() }))
        // The signpost identifier 0 is invalid.
        #expect(begun.allSatisfy { $0[2] != "0" })
    }

    @Test func signpostsShowEveryObservation() throws {
        let observer = SignpostObserver()
        OSSignposter.log.withLock { $0 = [] }
        let request = ImageRequest(url: try #require(URL(string: "https://example.org/x")))
        let samples = try LoadObservation.samples()
        for observation in samples { observer.observe(observation, of: LoadID(rawValue: 2), request: request) }
        let expected = samples.map { observation in
            switch observation {
            case .started: "begin load 2 https://example.org/x"
            case .joined: "event joined 2 load 1"
            case .waitBegan(let stage): "begin \(stage.rawValue) queue 2"
            case .waitEnded(let stage, _): "end \(stage.rawValue) queue 2"
            case .stageBegan(let stage): "begin \(stage.rawValue) 2"
            case .progress: "event progress 2 1"
            case .stageEnded(let stage, _): "end \(stage.rawValue) 2"
            case .cacheLookup(let tier, let isHit): "event cache 2 \(tier.rawValue) \(isHit ? "hit" : "miss")"
            case .cacheFailed: "event cache failed 2 timedOut"
            case .finished: "end load 2 network"
            }
        }
        #expect(OSSignposter.log.withLock { $0 } == expected)
    }
}
