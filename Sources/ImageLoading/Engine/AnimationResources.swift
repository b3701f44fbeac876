internal import ImageCore

/// What all animations of a loader share.
///
/// An animation must not retain the loader's other components: its image is in the memory cache, which is one of them.
struct AnimationResources: Sendable {
    let decoder: any Decoding
    let clock: any Clock<Duration>
    let budget: AnimationBudget
    /// One thread that makes the frames, so that they neither wait behind whole images nor delay them.
    let workers = ThreadPool(size: 1)

    /// The animation in a file.
    func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        guard let decoder = decoder as? any AnimationDecoding else { throw ImageError.noInput }
        return try decoder.animation(of: data, options: options)
    }
}

/// The memory for the decoded frames of all animations that play.
final class AnimationBudget: Sendable {
    private let limit: Int
    private let used = Lock(0)

    /// - Parameter limit: the limit in bytes.
    init(limit: Int) { self.limit = limit }

    /// Takes memory. Returns whether there was room.
    func reserve(_ bytes: Int) -> Bool {
        used.withLock { used in
            guard bytes <= limit - used else { return false }
            used += bytes
            return true
        }
    }

    func giveBack(_ bytes: Int) { used.withLock { $0 -= bytes } }
}
