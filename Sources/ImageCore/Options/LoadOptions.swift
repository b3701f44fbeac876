public import HTTPTypes

/// Every option of a load with its default: the one place where options are declared.
///
/// A layer (``OptionLayer``) holds sparse overrides of these fields; global, request and runtime layers are applied in
/// that order by ``OptionsBuilder``.
public struct LoadOptions: Sendable {
    /// Which caches are read and written.
    public var cachePolicy: CachePolicy = .memoryAndDisk
    /// How long the image stays in the memory cache when room is short.
    public var cachePriority: CachePriority = .normal
    /// Whether a fetched original is stored on disk. `false` overrules ``cachePolicy``.
    public var storesToDisk: Bool = true
    /// What is stored there. Takes effect where the loader has an encoder.
    public var diskStorage: DiskStorage = .originalData
    /// How urgent the load is among its kind.
    public var priority: LoadPriority = .normal
    /// The time limit of one attempt to fetch, from its start to the last byte; 30 s. Must be positive.
    public var timeout: Duration = .seconds(30)
    /// The time limit of the whole load, with queueing, retries, waits and resumption; `nil`, the default, sets none. Must be
    /// positive.
    public var deadline: Duration? = nil
    /// Attempts to fetch after the first, where a failure is worth retrying; 3, or the count of the loader's retry policy. A
    /// value in any layer wins over the policy. From 0 to 100.
    public var retries: Int = 3
    /// Added to the HTTP request. Part of the identity of a resource: two values never share a response.
    public var headers: HTTPFields = [:]
    /// Wrap the fetches of this load, the first one outermost, outside those of the loader; none. They are no part of the
    /// identity of a resource: a load that joins the fetch of another, or is answered by a cache, calls none of its own. What
    /// decides who may see which picture belongs in ``headers``.
    public var interceptors: [any RequestInterceptor] = []
    /// Whether networks that cost money (cellular, metered) may be used.
    public var allowsExpensiveNetwork: Bool = true
    /// The largest image to decode, in pixels (``DecodingLimits/pixels``); `nil` leaves the decoder's own limit.
    public var maximumPixels: Int? = nil
    /// The largest response body, in bytes; `nil` leaves the loader's own limit.
    public var maximumResponseBytes: Int? = nil
    /// The box, in pixels, that the decoded picture is scaled down to; `nil` keeps the full size. Never enlarges.
    public var targetSize: PixelSize? = nil
    /// How the picture fills ``targetSize``.
    public var contentMode: ContentMode = .fit
    /// Run on the decoded picture, in order.
    public var processors: [any Processing] = []
    /// Whether orientation stored in the file is applied.
    public var appliesOrientation: Bool = true
    /// Whether a file that ends early gives the part that is there, marked partial, instead of an error.
    public var allowsPartial: Bool = false
    /// What is shown of the picture while its bytes arrive.
    public var previews: PreviewPolicy = .none
    /// Shown by a target while the image loads.
    public var placeholder: Placeholder = .none
    /// Shown by a target when the load fails; `nil` leaves the placeholder.
    public var failureImage: DecodedImage? = nil
    /// How a target goes over to the loaded image. A memory hit shows without one.
    public var transition: Transition = .none
    /// What a target does about its load while its view is off screen.
    public var offScreenPolicy: OffScreenPolicy = .lowersPriority
    /// Whether a target draws a badge into the corner of what it shows: M, D or N, for the tier that had the image
    /// (memory, disk, network). For debugging; previews, placeholders and failure images have none.
    public var showsTierBadge: Bool = false
    /// What a screen reader says for the image.
    public var accessibilityLabel: String? = nil
    /// Written with every log line of the load.
    public var logContext: String? = nil
    /// Options that only a plug-in knows, by key type.
    public var extra = ExtraOptions()

    public init() {}
}

/// An option that a plug-in defines and that travels in the same layers as the built-in ones.
///
/// ```swift
/// enum Watermark: OptionKey {
///     static let defaultValue = "none"
/// }
/// var layer = OptionLayer()
/// layer[Watermark.self] = "draft"
/// let options = try OptionsBuilder(request: layer).build()
/// print(options.extra[Watermark.self])
/// ```
public protocol OptionKey: Sendable {
    associatedtype Value: Sendable
    /// The value where no layer sets one.
    static var defaultValue: Value { get }
    /// Why `value` is not allowed, as the end of the sentence "`name` = `value` …"; `nil` when it is. Called when
    /// options are built.
    static func problem(with value: Value) -> String?
}

extension OptionKey {
    public static func problem(with value: Value) -> String? { nil }
}

/// The merged values of plug-in options, by key type.
public struct ExtraOptions: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    public init() {}

    public subscript<K: OptionKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}
