public import HTTPTypes

/// Every option of a load with its default. This is the only declaration of the options.
///
/// An ``OptionLayer`` overrides some of them. ``OptionsBuilder`` applies the layers of the loader, the request and the
/// runtime options in this order.
public struct LoadOptions: Sendable {
    /// Which caches the load reads and writes, and whether it may ask the server.
    public var cachePolicy: CachePolicy = .memoryAndDisk
    /// Which images the memory cache evicts first.
    public var cachePriority: CachePriority = .normal
    /// Whether the load may store anything on disk; `true`.
    ///
    /// A load stores on disk only if this is `true` **and** ``cachePolicy`` contains `.writesDisk`: whichever forbids
    /// it wins, in whatever layers they are set. ``diskStorage`` then says what is stored, and never allows what these
    /// two forbid.
    public var storesToDisk: Bool = true
    /// What the load stores on disk, if ``storesToDisk`` and ``cachePolicy`` allow that. Takes effect if the loader has
    /// an encoder.
    public var diskStorage: DiskStorage = .originalData
    /// How urgent the load is among the loads with the same purpose.
    public var priority: LoadPriority = .normal
    /// The longest time that a fetch may make no progress: while it waits for a connection or the response, or between
    /// two parts of the body; 30 s, as in URLSession. Must be positive. ``deadline`` limits the whole load.
    public var timeout: Duration = .seconds(30)
    /// The time limit of the whole load, including queueing, retries, waits and resumption; `nil`, the default, sets
    /// none. Must be positive.
    public var deadline: Duration? = nil
    /// How often a fetch is attempted again after a failure that may be transient, resumptions included, from 0 to 100;
    /// `nil`, the default, applies the count of the loader's retry policy, which is 3 for the default policy.
    public var retries: Int? = nil
    /// Header fields to add to the HTTP request. They are part of the identity of the resource: loads with different
    /// fields never share a response.
    public var headers: HTTPFields = [:]
    /// Interceptors around the fetches of this load, the first one outermost, outside those of the loader; none.
    ///
    /// What they declare by ``RequestInterceptor/identity(for:)`` is part of the identity of the resource. Loads
    /// share a fetch only if their interceptors are of the same types and declare identities, are the same objects,
    /// or come from the same layer. A load that shares a fetch, or that a cache serves, does not call its own
    /// interceptors.
    public var interceptors: [any RequestInterceptor] = []
    /// Interceptors around this load, memory hits included, the first one outermost; none. They are no part of the
    /// identity of an image: what they load is cached under the key of the request that they make.
    public var loadInterceptors: [any LoadInterceptor] = []
    /// Whether expensive networks, such as cellular or metered ones, may be used.
    public var allowsExpensiveNetwork: Bool = true
    /// The largest image to decode, or to make with a processor, in pixels (``DecodingLimits/pixels``); `nil` applies
    /// the limit of the loader.
    public var maximumPixels: Int? = nil
    /// The largest response body, in bytes; `nil` applies the limit of the loader.
    public var maximumResponseBytes: Int? = nil
    /// The box, in pixels, that the decoded image is scaled down to; `nil` keeps the full size. Images are never
    /// enlarged.
    public var targetSize: PixelSize? = nil
    /// How the image fills ``targetSize``.
    public var contentMode: ImageContentMode = .fit
    /// Whether a target sets ``targetSize`` and ``contentMode`` to those of its view if no layer sets a target size;
    /// `true`. The load then waits until the view has a size, and a view that grows loads the image again. After a
    /// processor that needs the whole image (``Processing/needsWholeImage``), its result gets the size instead.
    public var sizesToTarget: Bool = true
    /// The processors to run on the decoded image, in order.
    public var processors: [any Processing] = []
    /// Whether the orientation that the file states is applied.
    public var appliesOrientation: Bool = true
    /// Whether colours are converted to sRGB; `true`. Otherwise the image keeps the colour profile of the file, and
    /// processors run in it.
    public var convertsToSRGB: Bool = true
    /// Whether an image with more than 8 bits per channel is reduced to 8 bits; `true`. Otherwise it has a 16-bit
    /// format, which takes twice the memory.
    public var convertsTo8Bit: Bool = true
    /// The alpha mode of an image with transparency: `.premultiplied`, the default, or `.straight` for the pixels as
    /// stored. Processors need premultiplied images, so a load with processors ignores it.
    public var alpha: AlphaMode = .premultiplied
    /// The frame of an animation to decode, from 0, the default. A load of a frame that the file does not have fails.
    public var frame: Int = 0
    /// Whether the image of an animated file has an ``DecodedImage/animation``, which views play; `true`. Otherwise,
    /// and for a load of another ``frame`` than the first, the image is still.
    public var animates: Bool = true
    /// How often a view shows an animation in all: 0 for ever. `nil`, the default, shows it as often as the file says.
    public var animationPlays: Int? = nil
    /// Whether a view plays an animation as soon as it shows it; `true`. Otherwise its first frame stays until the
    /// target's `startAnimation()`.
    public var autoplays: Bool = true
    /// Whether a truncated file results in a partial image instead of an error.
    public var allowsPartial: Bool = false
    /// Which previews the load delivers while bytes arrive.
    public var previews: PreviewPolicy = .none
    /// Whether a larger image of the same resource in the memory cache, with the same or fewer processors, is delivered
    /// as a preview until the image is there. The load needs no more time for it. Only loads that deliver events look
    /// for one.
    public var showsLargerCachedImage: Bool = true
    /// Whether an image of the web in the memory cache is used only as long as the response is fresh from which it was
    /// made; `false`, but `true` in the preset for servers. A load that finds it stale does what it does without it: it
    /// looks the response up in the HTTP cache, and asks the server. What a load without this option left in memory
    /// counts as stale.
    public var memoryFollowsFreshness: Bool = false
    /// How long after its decode an image in the memory cache is used; `nil`, the default, sets no limit. Must be
    /// positive. A load that finds an older one does what it does without it. Counts beside ``memoryFollowsFreshness``.
    public var memoryLifetime: Duration? = nil
    /// How long bytes in the data cache, and finished images there, are used without asking the server; `nil`, the
    /// default, leaves that to HTTP and the ``cachePolicy``. Must be positive. The shorter of this and the freshness of
    /// the response holds. The age is that of the response (RFC 9111, section 4.2.3), or that of the entry where there
    /// is no HTTP cache. What is older counts as stale: it is revalidated, or fetched again.
    public var diskLifetime: Duration? = nil
    /// What a target shows while the image loads.
    public var placeholder: Placeholder = .none
    /// Whether a target that shows an image keeps it until the next one is there, instead of the placeholder; `false`.
    public var keepsImageWhileLoading: Bool = false
    /// What a target shows if the load fails; `nil` keeps the placeholder.
    public var failureImage: DecodedImage? = nil
    /// How a target changes to the loaded image. A hit in the memory cache is shown without a transition.
    public var transition: ImageTransition = .none
    /// What a target does with its load while its view is off screen.
    public var offScreenPolicy: OffScreenPolicy = .lowersPriority
    /// Whether a target draws the tier of the image into a corner, for debugging: M for memory, D for disk, L for
    /// local, N for network. Previews, placeholders and failure images have no badge.
    public var showsTierBadge: Bool = false
    /// The label that a screen reader speaks for the image.
    public var accessibilityLabel: String? = nil
    /// A text to add to every log entry of the load.
    public var logContext: String? = nil
    /// The options that plug-ins define, by key type.
    public var extra = ExtraOptions()

    /// Creates the default options.
    public init() {}
}
