import CalotypeTesting
import ImageCore
import ImageTargets
import Testing

/// A request for the image that a view shows or loads already, with other options (FEATURES 11.10).
@Suite(.timeLimit(.minutes(1))) struct ChangedRequests {
    private let provider = ScriptedProvider()
    private let view = RecordingView()

    private func request(_ name: String = "a", _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        ImageRequest(url: URL(string: "test://\(name)")!, options: OptionLayer(change))
    }

    private func image(_ red: UInt8) throws -> DecodedImage { try TestImages.solid(red: red) }

    /// A target whose view shows the image of a request.
    private func shownTarget(_ request: ImageRequest) async throws -> ImageTarget<RecordingView> {
        let target = ImageTarget(view, loader: provider)
        let shown = EventLog<Bool>()
        await target.setImage(request) { _ in shown.append(true) }
        provider.loads[0].succeed(try image(1))
        await shown.wait(forCount: 1)
        return target
    }

    private func calls(after count: Int) -> [RecordingView.Shown] { Array(view.shown.dropFirst(count)) }

    // MARK: Fetching again

    @Test(arguments: [CachePolicy.reload, .revalidate, .noCache])
    func aPolicyThatAsksTheSourceFetchesTheShownImageAgainWithoutABlank(policy: CachePolicy) async throws {
        let placeholder = Placeholder.color(red: 0, green: 0, blue: 0, alpha: 1)
        let target = try await shownTarget(request { $0.placeholder = placeholder })
        let count = view.shown.count
        let results = EventLog<CacheTier?>()
        await target.setImage(
            request {
                $0.placeholder = placeholder
                $0.cachePolicy = policy
                $0.transition = .fade(.seconds(1))
            }
        ) { results.append(try? $0.get().tier) }
        #expect(provider.loads.count == 2 && provider.loads[1].request.options.cachePolicy == policy)
        provider.loads[1].send(.preview(try image(3)))
        provider.loads[1].succeed(try image(2))
        await results.wait(forCount: 1)
        #expect(calls(after: count) == [.loading(true), .loading(false), .image(red: 2, .fade(.seconds(1)))])
    }

    /// FEATURES 1.15.
    @Test func aRenewedURLWithTheSameCacheKeyLoadsNothing() async throws {
        func keyed(_ name: String) -> ImageRequest {
            var request = request(name)
            request.cacheKey = "cat"
            return request
        }
        let target = try await shownTarget(keyed("a?token=1"))
        let count = view.shown.count
        await target.setImage(keyed("a?token=2"))
        #expect(provider.loads.count == 1 && calls(after: count).isEmpty)
        #expect(target.currentSource?.url?.query == "token=2")
        await target.setImage(request("a?token=2"))
        #expect(provider.loads.count == 2)
    }

    @Test func theShownImageIsFetchedAgainEachTimeButNotWhileThatRuns() async throws {
        let target = try await shownTarget(request { $0.cachePolicy = .reload })
        let results = EventLog<Bool>()
        for number in 2...3 {
            await target.setImage(request { $0.cachePolicy = .reload }) { _ in results.append(true) }
            await target.setImage(request { $0.cachePolicy = .reload }) { _ in Issue.record("a repeated request was completed") }
            #expect(provider.loads.count == number)
            provider.loads[number - 1].succeed(try image(2))
            await results.wait(forCount: number - 1)
        }
    }

    @Test func theShownImageIsFetchedAgainAfterCancel() async throws {
        let target = try await shownTarget(request())
        await target.cancel()
        let count = view.shown.count
        await target.setImage(request { $0.cachePolicy = .reload })
        #expect(provider.loads.count == 2)
        provider.loads[1].succeed(try image(2))
        await view.wait { $0.last == .image(red: 2, .none) }
        #expect(calls(after: count) == [.loading(true), .loading(false), .image(red: 2, .none)])
    }

    @Test func theImageStaysIfItCannotBeFetchedAgain() async throws {
        let failureImage = try image(9)
        let target = try await shownTarget(request { $0.failureImage = failureImage })
        let count = view.shown.count
        let results = EventLog<ImageError.Code?>()
        let again = request {
            $0.failureImage = failureImage
            $0.cachePolicy = .revalidate
        }
        await target.setImage(again) { if case .failure(let error) = $0 { results.append(error.code) } }
        provider.loads[1].fail(ImageError(.offline, message: "There is no network."))
        await results.wait(forCount: 1)
        #expect(results.events == [.offline])
        #expect(calls(after: count) == [.loading(true), .loading(false)])
        // It is still the image of the request.
        await target.setImage(request { $0.failureImage = failureImage })
        #expect(provider.loads.count == 2 && view.shown.count == count + 2)
    }

    @Test func cancellingTheSecondFetchKeepsTheImage() async throws {
        let target = try await shownTarget(request())
        await target.setImage(request { $0.cachePolicy = .reload })
        await target.cancel()
        #expect(provider.loads[1].isCancelled)
        let count = view.shown.count
        await target.setImage(request())
        #expect(provider.loads.count == 2 && view.shown.count == count)
        await target.setImage(request { $0.cachePolicy = .reload })
        #expect(provider.loads.count == 3)
    }

    @Test func aRunningLoadIsReplacedByOneThatAsksTheSource() async throws {
        let target = ImageTarget(view, loader: provider)
        await target.setImage(request())
        await target.setImage(request { $0.cachePolicy = .reload })
        #expect(provider.loads.map(\.isCancelled) == [true, false])
        provider.loads[1].succeed(try image(2))
        await view.wait { $0.last == .image(red: 2, .none) }
    }

    /// A model that shows an image, and its phases.
    private func shownModel() async throws -> (ImagePhaseModel, EventLog<String>) {
        let phases = EventLog<String>()
        let model = await ImagePhaseModel(loader: provider)
        await MainActor.run { model.onChange = { phases.append("\($0)".prefix { $0 != "(" }.description) } }
        await model.show(request())
        provider.loads[0].succeed(try image(1))
        await phases.wait { $0.last == "success" }
        return (model, phases)
    }

    @Test func aPhaseModelKeepsItsImageWhileItIsFetchedAgain() async throws {
        let (model, phases) = try await shownModel()
        await model.show(request { $0.cachePolicy = .reload })
        provider.loads[1].send(.progress(LoadProgress(received: 1, expected: 2)))
        provider.loads[1].succeed(try image(2))
        await phases.wait { $0.count { $0 == "success" } == 2 }
        #expect(phases.events == ["loading", "success", "success"])
    }

    // MARK: Other options

    @Test func aChangedLabelTakesEffectWithoutALoad() async throws {
        let target = try await shownTarget(request { $0.accessibilityLabel = "A" })
        let count = view.shown.count
        await target.setImage(request { $0.accessibilityLabel = "B" })
        await target.setImage(request { $0.accessibilityLabel = "B" })
        await target.setImage(request())
        #expect(calls(after: count) == [.label("B"), .label(nil)])
        #expect(provider.loads.count == 1)
    }

    @Test func changesDuringALoadTakeEffect() async throws {
        let target = ImageTarget(view, loader: provider)
        let results = EventLog<Bool>()
        await target.setImage(request()) { _ in results.append(true) }
        let count = view.shown.count
        await target.setImage(
            request {
                $0.placeholder = .color(red: 1, green: 0, blue: 0, alpha: 1)
                $0.priority = .high
                $0.transition = .fade(.seconds(1))
            })
        #expect(provider.loads.count == 1 && provider.loads[0].priority == .high)
        provider.loads[0].succeed(try image(1))
        await results.wait(forCount: 1)
        #expect(
            calls(after: count) == [.placeholder("color"), .loading(false), .image(red: 1, .fade(.seconds(1)))])
    }

    @Test func aChangedFailureImageIsShown() async throws {
        let target = ImageTarget(view, loader: provider)
        let results = EventLog<Bool>()
        await target.setImage(request()) { _ in results.append(true) }
        let failureImage = try image(9)
        await target.setImage(request { $0.failureImage = failureImage })
        provider.loads[0].fail(ImageError(.offline, message: "There is no network."))
        await results.wait(forCount: 1)
        #expect(view.shown.suffix(2) == [.image(red: 9, .none), .failure(.offline)])
    }

    @Test func changedPreviewsReplaceTheRunningLoad() async throws {
        let target = ImageTarget(view, loader: provider)
        await target.setImage(request())
        await target.setImage(request { $0.previews = .incremental })
        #expect(provider.loads.map(\.isCancelled) == [true, false])
        #expect(provider.loads[1].request.options.previews == .incremental)
    }

    @Test func aChangedOffScreenPolicyTakesEffectOffScreen() async throws {
        let target = ImageTarget(view, loader: provider)
        let results = EventLog<Bool>()
        await target.setImage(request()) { _ in results.append(true) }
        target.setVisible(false)
        #expect(provider.loads[0].priority == .veryLow)
        await target.setImage(request { $0.offScreenPolicy = .keepsPriority })
        #expect(provider.loads[0].priority == .normal)
        await target.setImage(request { $0.offScreenPolicy = .cancels })
        #expect(provider.loads.map(\.isCancelled) == [true])
        await target.setImage(request { $0.offScreenPolicy = .lowersPriority })
        // The end of the cancelled load may start the next one on another thread.
        while provider.loads.last?.priority != .veryLow || provider.loads.count < 2 { await Task.yield() }
        #expect(provider.loads.count == 2)
        provider.loads[1].succeed(try image(1))
        await results.wait(forCount: 1)
    }

    @Test func aPriorityThatWasSetIsNotReset() async throws {
        let target = ImageTarget(view, loader: provider)
        await target.setImage(request())
        target.setPriority(.high)
        await target.setImage(request { $0.accessibilityLabel = "B" })
        #expect(provider.loads[0].priority == .high)
    }

    @Test func anEqualPlaceholderIsNotShownAgain() async throws {
        let placeholder = Placeholder.image(try image(4))
        let target = ImageTarget(view, loader: provider)
        await target.setImage(request { $0.placeholder = placeholder })
        let count = view.shown.count
        await target.setImage(request { $0.placeholder = placeholder })
        #expect(view.shown.count == count)
    }

    // MARK: Keeping the image

    @Test func aViewKeepsItsImageUntilTheNextOneIsThere() async throws {
        let target = try await shownTarget(request())
        let count = view.shown.count
        let next = request("b") {
            $0.keepsImageWhileLoading = true
            $0.placeholder = .color(red: 0, green: 0, blue: 0, alpha: 1)
        }
        await target.setImage(next)
        provider.loads[1].succeed(try image(2))
        await view.wait { $0.last == .image(red: 2, .none) }
        #expect(calls(after: count) == [.label(nil), .loading(true), .loading(false), .image(red: 2, .none)])
    }

    @Test func aViewWithoutAnImageShowsThePlaceholder() async throws {
        let target = ImageTarget(view, loader: provider)
        let keeping: (inout OptionLayer) -> Void = {
            $0.keepsImageWhileLoading = true
            $0.placeholder = .color(red: 0, green: 0, blue: 0, alpha: 1)
        }
        await target.setImage(request("a", keeping))
        #expect(view.shown.contains(.placeholder("color")))
        provider.loads[0].fail(ImageError(.offline, message: "There is no network."))
        await view.wait { $0.last == .failure(.offline) }
        // Nor is a sign of failure an image. Another driver may make the view's calls, so that they come a moment
        // later.
        await target.setImage(request("b", keeping))
        await view.wait { $0.count { $0 == .placeholder("color") } == 2 }
        await target.clear()
        await target.setImage(request("c", keeping))
        await view.wait { $0.count { $0 == .placeholder("color") } == 3 }
    }

    @Test func aPhaseModelKeepsItsImageUntilTheNextOneIsThere() async throws {
        let (model, phases) = try await shownModel()
        await model.show(request("b") { $0.keepsImageWhileLoading = true })
        provider.loads[1].succeed(try image(2))
        await phases.wait { $0.count { $0 == "success" } == 2 }
        await model.show(request("c"))
        #expect(phases.events == ["loading", "success", "success", "loading"])
    }
}
