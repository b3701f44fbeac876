internal import CalotypeSystem
public import ImageCore

extension ImageLoader {
    /// The most that a loader accepts and does at a time. The standard wiring of `Calotype` passes each limit on to the
    /// components that it concerns. Counts below 1 count as 1.
    public struct Limits: Hashable, Sendable {
        /// Network fetches at a time, with revalidations in the background; 32.
        public var fetches = 32
        /// Network fetches at a time from one host (scheme, name and port); 6.
        public var fetchesPerHost = 6
        /// Local files and closures that are read at a time; 8.
        public var localReads = 8
        /// Threads that decode and process images; as many as the process may use processors. Limits of a container
        /// count.
        public var workers = ProcessorCount.usable
        /// The largest response body, in bytes, for loads whose options set no ``LoadOptions/maximumResponseBytes``;
        /// the smaller of 200 MB and a tenth of the memory.
        public var maximumResponseBytes = ResponseLimit.standard
        /// The largest response body to store, in bytes; 64 MiB. Larger ones are loaded, but not stored.
        public var maximumStoredBytes = 64 << 20
        /// The bytes of the images of all running decodes, as their headers announce them; 512 MB. A decode waits
        /// rather than exceed the limit; an image that is larger by itself is decoded alone.
        public var concurrentDecodeBytes = 512_000_000
        /// The bytes of the decoded frames that are kept of all animations that play; 64 MB. An animation that does not
        /// fit is decoded again in every loop.
        public var animationBytes = 64_000_000
        /// The limits of a single decode, of which that of pixels holds for the results of processors too.
        public var decoding = DecodingLimits()

        /// The limits above.
        public init() {}
    }
}
