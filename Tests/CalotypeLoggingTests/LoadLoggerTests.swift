import CalotypeLogging
import CalotypeTesting
import ImageCore
import ImageLoading
import InMemoryLogging
import Logging
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoggingLoads {
    private let store = InMemoryLogHandler()
    private let source = URL(string: "https://user:hunter2@example.org/x?token=hunter2")!

    private func logger(_ level: Logger.Level) -> Logger {
        var handler = store
        handler.logLevel = level
        return Logger(label: "test") { [handler] _ in handler }
    }

    private func loader(
        _ level: Logger.Level, levels: LoadLogger.Levels = .init(), hidesQueries: Bool = true, body: UInt8 = 7
    ) -> ImageLoader {
        var configuration = ImageLoader.Configuration(
            dataLoader: ScriptedLoader { _ in .body(Data([body])) }, decoder: ScriptedDecoder(),
            memoryCache: LoggedMemoryCache())
        configuration.observers = [LoadLogger(logger(level), levels: levels, hidesQueries: hidesQueries)]
        return ImageLoader(configuration)
    }

    @Test func theDefaultLevelsAreThoseOfTheDocumentation() {
        let levels = LoadLogger.Levels()
        #expect(levels.started == .trace && levels.stages == .trace && levels.cancelled == .trace)
        #expect(levels.finished == .debug && levels.failed == .warning && levels.cacheFailed == .warning)
    }

    @Test func aFinishedLoadIsOneLogEntryWithItsMetrics() async throws {
        _ = try await loader(.debug).image(for: source)
        let line = try #require(store.entries.first)
        #expect(store.entries.count == 1)
        #expect(line.message == "load finished" && line.level == .debug)
        #expect(line.metadata["tier"] == "network" && line.metadata["bytes"] == "1" && line.metadata["size"] == "4x4")
        #expect(line.metadata["milliseconds"] != nil && line.metadata["context"] == nil)
    }

    @Test func everyStageIsALogEntryAtTheTraceLevel() async throws {
        _ = try await loader(.trace).image(for: source)
        #expect(
            store.entries.map(\.message.description) == [
                "load started", "stage began", "stage ended", "stage began", "cache miss", "stage ended", "wait began",
                "wait ended",
                "stage began", "stage ended", "wait began", "wait ended", "stage began", "stage ended", "stage began",
                "stage ended",
                "load finished",
            ])
        #expect(Set(store.entries.map { $0.metadata["load"]?.description }).count == 1)
    }

    @Test func aFailureIsAWarningThatNamesItsCode() async throws {
        _ = try? await loader(.info, body: 0xFF).image(for: source)
        let line = try #require(store.entries.first)
        #expect(line.message == "load failed" && line.level == .warning)
        #expect(line.metadata["code"] == "corrupt" && line.metadata["stage"] == "decode")
        #expect(line.metadata["error"]?.description.isEmpty == false)
        #expect(line.metadata["bytes"] == "1" && line.metadata["milliseconds"] != nil)
    }

    @Test func cancellingIsNotLoggedAsAWarning() async throws {
        let loader = loader(.info)
        loader.isPaused = true
        let task = loader.task(for: ImageRequest(url: source))
        task.cancel()
        _ = try? await task.response
        #expect(store.entries.isEmpty)
    }

    @Test func secretsAreNotLogged() async throws {
        _ = try await loader(.trace).image(for: source)
        _ = try? await loader(.trace, body: 0xFF).image(for: source)
        let text = store.entries.map { "\($0.message) \($0.metadata)" }.joined()
        #expect(text.contains("example.org/x?token=...") && !text.contains("hunter2"))
    }

    @Test(arguments: [true, false])
    func theMessageOfAnErrorIsLoggedWithoutSecrets(hidesQueries: Bool) async throws {
        var configuration = ImageLoader.Configuration(
            dataLoader: ScriptedLoader { [source] _ in
                .failure(ImageError(.connectionLost, message: "A plug-in lost \(source.absoluteString)."))
            },
            decoder: ScriptedDecoder())
        configuration.observers = [LoadLogger(logger(.info), hidesQueries: hidesQueries)]
        _ = try? await ImageLoader(configuration).image(for: source)
        let text = try #require(store.entries.first?.metadata["error"]?.description)
        #expect(text.hasPrefix("A plug-in lost https://example.org/x?token=") && text.contains("token=hunter2") != hidesQueries)
    }

    @Test func queryValuesAreLoggedOnRequest() async throws {
        let plain = URL(string: "https://example.org/x?w=320")!
        _ = try await loader(.debug, hidesQueries: false).image(for: plain)
        #expect(store.entries.first?.metadata["source"] == "https://example.org/x?w=320")
    }

    @Test(arguments: ["global", "request", "runtime"])
    func theLogContextOfAnyLayerIsPartOfEveryLogEntry(layer: String) async throws {
        var configuration = ImageLoader.Configuration(
            dataLoader: ScriptedLoader { _ in .body(Data([7])) }, decoder: ScriptedDecoder())
        configuration.observers = [LoadLogger(logger(.trace))]
        if layer == "global" { configuration.options.logContext = "feed" }
        let loader = ImageLoader(configuration)
        if layer == "runtime" { loader.runtimeOptions.logContext = "feed" }
        var request = ImageRequest(url: source)
        if layer == "request" { request.options.logContext = "feed" }
        _ = try await loader.image(for: request)
        #expect(!store.entries.isEmpty && store.entries.allSatisfy { $0.metadata["context"] == "feed" })
    }

    @Test func aDisabledLevelIsNotLogged() async throws {
        var levels = LoadLogger.Levels()
        (levels.stages, levels.started, levels.finished) = (nil, nil, .notice)
        _ = try await loader(.trace, levels: levels).image(for: source)
        #expect(store.entries.map(\.level) == [.notice])
    }
}
