#if canImport(ImageIO)
    public import ImageCaching
    public import ImageCore
    internal import ImageDecodingApple
    public import ImageLoading
    internal import ImageNetworkingFoundation

    /// The wiring of Apple platforms that needs no library besides the system's: URLSession fetches, ImageIO decodes and
    /// encodes. Each part can be replaced.
    ///
    /// ```swift
    /// let loader = ImageLoader.apple {
    ///     $0.memoryCache = MemoryCache(limits: .init(cost: 40_000_000))
    ///     $0.options.timeout = .seconds(10)
    /// }
    /// ```
    public struct AppleParts: Sendable {
        /// Fetches URLs.
        public var network: any DataLoading = URLSessionLoader()
        /// Decodes every picture.
        public var decoder: any Decoding = ImageIODecoder()
        /// Writes the pictures that ``LoadOptions/diskStorage`` keeps.
        public var encoder: any Encoding = ImageIOEncoder()
        /// Decoded images; a ``MemoryCache`` with its default limits. `nil` keeps none.
        public var memoryCache: (any Caching)? = MemoryCache()
        /// Original bytes; a ``DiskCache`` in the user's cache directory. `nil` keeps none.
        public var dataCache: (any DataCaching)? = DiskCache()
        /// How ``dataCache`` keeps and uses what web servers answer.
        public var httpCachePolicy: HTTPCachePolicy = .standard
        /// The app's own defaults: the lowest of the three layers of options.
        public var options = OptionLayer()
        /// Told of every load; none.
        public var observers: [any LoadObserving] = []

        public init() {}

        /// The parts put together, from the inside out.
        public func makeConfiguration() -> ImageLoader.Configuration {
            let responses = dataCache.map { HTTPCache(store: $0, policy: httpCachePolicy) }
            let web: any DataLoading = responses.map { CachedLoader(network, cache: $0) } ?? network
            var configuration = ImageLoader.Configuration(
                dataLoader: FilesAnd(web: web), decoder: decoder, memoryCache: memoryCache, dataCache: dataCache)
            configuration.responseCache = responses
            configuration.onClear = { responses?.forgetLooks() }
            configuration.encoder = encoder
            configuration.globalOptions = options
            configuration.observers = observers
            return configuration
        }
    }

    /// Reads local files itself and leaves the rest to the network.
    private struct FilesAnd: DataLoading {
        let web: any DataLoading

        func load(_ request: DataRequest) async throws -> DataResponse {
            guard request.url.isFileURL else { return try await web.load(request) }
            let limit = request.maximumBytes ?? .max
            do {
                // Mapped, so that the pages come as the decoder reads them.
                let data = try Data(contentsOf: request.url, options: .mappedIfSafe)
                guard data.count <= limit else {
                    throw ImageError(.tooLarge, message: "\(request.url.path) is larger than the limit of \(limit) bytes.")
                }
                return DataResponse(url: request.url, body: ByteStream(data))
            } catch let error as ImageError {
                throw error
            } catch {
                throw ImageError(.fileUnreadable, message: "\(request.url.path) cannot be read.", causes: ["\(error)"])
            }
        }
    }

    extension ImageLoader {
        /// A loader made of ``AppleParts``, some of them changed.
        public static func apple(_ change: (inout AppleParts) -> Void = { _ in }) -> ImageLoader {
            var parts = AppleParts()
            change(&parts)
            return ImageLoader(parts.makeConfiguration())
        }

        /// The loader that an app's views share; made of ``AppleParts`` at its first use. Replace it at launch, before that.
        public static var shared: ImageLoader {
            get { sharedLoader.current }
            set { sharedLoader.current = newValue }
        }
    }

    private let sharedLoader = SharedLoader { .apple() }
#endif
