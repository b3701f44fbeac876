public import ImageCore

enum AnimationRule: String, ConformanceRules {
    static let plugIn = "ImageAnimation"
    case countsFrames = "The animation has as many frames as the header states, at least one, and returns the first and the last."
    case hasPlausibleTimes = "Durations and the loop count are not negative."
    case keepsSize = "All frames have one size, and none is marked as partial or as a preview."
    case repeatsFrames = "A frame is the same in whatever order the frames are requested."
    case rejectsOtherFrames = "A frame that does not exist throws invalidRequest."
    case beginsWithTheImage = "The first frame is the image of a decode, and frame n that of a decode with this frame."
    case stopsWhenCancelled = "A frame whose token is cancelled throws CancellationError."
    case respectsFrameLimit = "A file with more frames than the limit fails with tooLarge."
}

/// Checks an animation against the contract of `ImageAnimation`.
///
/// ```swift
/// // In a test, with a custom animation:
/// let frames = try [1, 2].map { try TestImages.solid(red: $0) }
/// final class Blinking: ImageAnimation {
///     let frames: [DecodedImage]
///     init(_ frames: [DecodedImage]) { self.frames = frames }
///     var durations: [Duration] { frames.map { _ in .milliseconds(500) } }
///     var loopCount: Int { 0 }
///     func frame(at index: Int) throws -> DecodedImage {
///         guard frames.indices.contains(index) else { throw ImageError(.invalidRequest, message: "No frame \(index).") }
///         return frames[index]
///     }
/// }
/// try checkAnimationConformance { Blinking(frames) }
/// ```
///
/// - Parameters:
///   - limit: The longest time that the check may take. By default 60 seconds.
///   - make: Makes the animation. Called several times.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkAnimationConformance(
    limit: Duration = .seconds(60), _ make: @escaping @Sendable () throws -> any ImageAnimation
) throws {
    try throwFailure(checkRules(AnimationRule.self, limit: limit) { rules in checkFrames("the animation", rules, make) })
}

/// Checks the animation of a file.
func checkAnimation(
    of file: Data, by decoder: any AnimationDecoding, name: String, _ rules: RuleChecker<AnimationRule>
) {
    let frames = checkFrames(name, rules) { try decoder.animation(of: file, options: DecodeOptions()) }
    guard !frames.isEmpty else { return }
    rules.check(.countsFrames, name) {
        let count = try decoder.info(of: file, limits: DecodingLimits()).frameCount
        try require(frames.count == count, "The header states \(count) frames, but the animation has \(frames.count).")
    }
    for (index, frame) in frames.enumerated() {
        rules.check(.beginsWithTheImage, name) {
            var options = DecodeOptions()
            options.frame = index
            let image = try decoder.decode(file, options: options)
            try require(isSame(frame, image), "Frame \(index) differs from the image of a decode with that frame.")
        }
    }
    rules.check(.stopsWhenCancelled, name) {
        var options = DecodeOptions()
        let token = CancellationToken()
        options.cancellation = token
        let animation = try decoder.animation(of: file, options: options)
        token.cancel()
        try requireCancellation { _ = try animation.frame(at: 0) }
    }
    if frames.count > 1 {
        rules.check(.respectsFrameLimit, name) {
            var options = DecodeOptions()
            options.limits.frames = frames.count - 1
            do {
                _ = try decoder.animation(of: file, options: options)
            } catch let error as ImageError where error.code == .tooLarge {
                return
            }
            throw RuleViolation("It has a frame more than the limit, and was read.")
        }
    }
}

/// Checks the frames of an animation, and returns them.
@discardableResult private func checkFrames(
    _ name: String, _ rules: RuleChecker<AnimationRule>, _ make: () throws -> any ImageAnimation
) -> [DecodedImage] {
    var animation: (any ImageAnimation)?
    var frames: [DecodedImage] = []
    rules.check(.countsFrames, name) {
        let made = try make()
        animation = made
        try require(made.frameCount > 0, "It has no frame.")
        frames = try (0..<made.frameCount).map { try made.frame(at: $0) }
    }
    guard let animation, let first = frames.first else { return [] }
    rules.check(.hasPlausibleTimes, name) {
        try require(animation.durations.allSatisfy { $0 >= .zero }, "It has a frame whose duration is negative.")
        try require(animation.loopCount >= 0, "Its loop count is \(animation.loopCount).")
    }
    for (index, frame) in frames.enumerated() {
        rules.check(.keepsSize, name) {
            try require(frame.size == first.size, "Frame \(index) has \(frame.size) pixels, the first one \(first.size).")
            try require(!frame.isPartial && !frame.isPreview, "Frame \(index) is marked as partial or preview.")
        }
    }
    for index in frames.indices.reversed() {
        rules.check(.repeatsFrames, name) {
            try require(
                isSame(frames[index], try animation.frame(at: index)), "Frame \(index) differs when frames are read backwards.")
            try require(isSame(frames[index], try make().frame(at: index)), "Frame \(index) differs when it is read alone.")
        }
    }
    for index in [-1, frames.count] {
        rules.check(.rejectsOtherFrames, name) {
            do {
                _ = try animation.frame(at: index)
            } catch let error as ImageError where error.code == .invalidRequest {
                return
            }
            throw RuleViolation("It has \(frames.count) frames, but returned a frame \(index).")
        }
    }
    return frames
}

enum AnimationFramesRule: String, ConformanceRules {
    static let plugIn = "AnimationFrames"
    case hasPlausibleTimes = "There is a frame, and durations, loop count and byte count are not negative."
    case keepsSize = "All frames have one size."
    case repeatsFrames = "A frame is the same in any order, for several tasks at once, and after a playback ended."
    case stopsWhenCancelled = "A frame for a cancelled task throws CancellationError."
}

/// Checks the frames of a custom animation against the contract of `AnimationFrames`.
///
/// - Parameters:
///   - limit: The longest time that each rule may take. By default 20 seconds.
///   - make: Makes the frames. Called for each rule.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkAnimationFramesConformance(
    limit: Duration = .seconds(20), _ make: @escaping @Sendable () throws -> any AnimationFrames
) async throws {
    let rules = RuleChecker<AnimationFramesRule>(limit: limit)
    await rules.run(.hasPlausibleTimes) {
        let frames = try make()
        try require(!frames.durations.isEmpty, "There is no frame.")
        try require(frames.durations.allSatisfy { $0 >= .zero }, "A duration is negative.")
        try require(frames.loopCount >= 0 && frames.byteCount >= 0, "The loop count or the byte count is negative.")
    }
    await rules.run(.keepsSize) {
        let frames = try make()
        let first = try await frames.frame(at: 0)
        for index in frames.durations.indices {
            let size = try await frames.frame(at: index).size
            try require(size == first.size, "Frame \(index) has \(size) pixels, the first one \(first.size).")
        }
    }
    await rules.run(.repeatsFrames) {
        let frames = try make()
        let count = frames.durations.count
        var images: [DecodedImage] = []
        for index in 0..<count { images.append(try await frames.frame(at: index)) }
        frames.playbackBegan()
        try await withThrowingTaskGroup(of: Void.self) { [images] group in
            for worker in 0..<4 {
                group.addTask {
                    for step in 0..<count * 2 {
                        let index = (worker + step * 7) % count
                        try require(
                            isSame(try await frames.frame(at: index), images[index]), "Frame \(index) differs for several tasks.")
                    }
                }
            }
            try await group.waitForAll()
        }
        frames.playbackEnded()
        for index in (0..<count).reversed() {
            try require(
                isSame(try await frames.frame(at: index), images[index]), "Frame \(index) differs after a playback ended.")
        }
    }
    await rules.run(.stopsWhenCancelled) {
        let frames = try make()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            _ = try await frames.frame(at: 0)
        }
        do { try await task.value } catch is CancellationError { return } catch {
            throw RuleViolation("It threw \(text(of: error)) instead of a CancellationError.")
        }
        throw RuleViolation("It returned a frame.")
    }
    try throwFailure(rules.violations)
}
