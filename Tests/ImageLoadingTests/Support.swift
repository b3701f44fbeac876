import CalotypeTesting
import ImageCore
import ImageLoading

/// A loader put together from scripted components, with the components at hand.
struct Bench {
    let network: ScriptedLoader
    let decoder: ScriptedDecoder
    let memory: LoggedMemoryCache
    let disk: LoggedDataCache
    let loader: ImageLoader

    init(
        network: ScriptedLoader = ScriptedLoader { _ in .body(Data([7])) }, decoder: ScriptedDecoder = ScriptedDecoder(),
        disk: LoggedDataCache = LoggedDataCache(), _ adjust: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) {
        self.network = network
        self.decoder = decoder
        self.disk = disk
        memory = LoggedMemoryCache()
        var configuration = ImageLoader.Configuration(
            dataLoader: network, decoder: decoder, memoryCache: memory, dataCache: disk)
        adjust(&configuration)
        loader = ImageLoader(configuration)
    }

    static func held(_ disk: LoggedDataCache = LoggedDataCache(), _ adjust: (inout ImageLoader.Configuration) -> Void = { _ in })
        -> Bench
    {
        Bench(network: ScriptedLoader(gate: Gate()) { _ in .body(Data([7])) }, disk: disk, adjust)
    }

    /// Returns when the engine keeps nothing of any load. Ends of work are reported a moment after their deliveries.
    func waitUntilIdle() async {
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
    }
}

/// A memory cache without limits that records the priority of each image that it stores.
final class PriorityLog: Caching {
    let priorities = EventLog<CachePriority>()
    private let base = LoggedMemoryCache()

    func image(for key: ImageKey) -> DecodedImage? { base.image(for: key) }
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        base.store(image, for: key, priority: priority)
        priorities.append(priority)
    }
    func removeImage(for key: ImageKey) { base.removeImage(for: key) }
    func removeAll() { base.removeAll() }
}

func url(_ name: String) -> URL { URL(string: "http://example.org/\(name)")! }

func red(_ image: DecodedImage) -> UInt8 { TestImages.pixel(of: image, x: 0, y: 0)[0] }
