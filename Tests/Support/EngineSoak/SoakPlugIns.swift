internal import HTTPTypes
internal import ImageCore

/// Responds by the number in the URL: with a complete body, in pieces, late, with errors, or with data that is no
/// image.
struct SoakNetwork: DataLoading {
    func load(_ request: DataRequest) async throws -> DataResponse {
        let number = Int(request.url.lastPathComponent) ?? 0
        let byte = UInt8(number % 200)
        switch number % 11 {
        case 0: throw ImageError(.connectionFailed, message: "no connection")
        case 1: return DataResponse(url: request.url, head: .init(status: .notFound), body: ByteStream(Data()))
        case 2: return DataResponse(url: request.url, body: ByteStream(Data([0xFF])))
        case 3, 4:
            let left = Lock(5)
            return DataResponse(
                url: request.url,
                body: ByteStream {
                    await Task.yield()
                    try Task.checkCancellation()
                    let count = left.withLock { left in
                        left -= 1
                        return left
                    }
                    if number % 3 == 0, count == 2 { throw ImageError(.connectionLost, message: "lost") }
                    return count < 0 ? nil : Data(repeating: byte, count: 1_000)
                })
        case 5, 6:
            await Task.yield()
            fallthrough
        default: return DataResponse(url: request.url, body: ByteStream(Data(repeating: byte, count: 2_000)))
        }
    }
}

struct SoakDecoder: Decoding {
    private static let format = ImageFormat(rawValue: "soak")

    var formats: [ImageFormat] { [Self.format] }

    func format(of prefix: Data) -> ImageFormat? { Self.format }

    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        ImageInfo(format: Self.format, size: PixelSize(width: 8, height: 8))
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try options.checkCancellation()
        guard data.first != 0xFF else { throw ImageError(.corrupt, message: "damaged") }
        return DecodedImage(try unsafe Bitmap(size: PixelSize(width: 8, height: 8), format: .gray8, alpha: .opaque) { _, _ in })
    }
}

struct SoakStep: Processing {
    let name: String

    var identifier: String { "soak.\(name)" }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        if name == "bad" { throw ImageError(.plugInFailed, message: "bad") }
        return image
    }
}

/// Receives all observations and keeps nothing.
struct SoakObserver: LoadObserving {
    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {}
}

/// Keeps the last 500 images.
final class SmallMemoryCache: Caching {
    private let images = Lock<(byKey: [ImageKey: DecodedImage], order: [ImageKey])>(([:], []))

    func image(for key: ImageKey) -> DecodedImage? { images.withLock { $0.byKey[key] } }

    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        images.withLock { images in
            if images.byKey.updateValue(image, forKey: key) == nil { images.order.append(key) }
            if images.order.count > 500 { images.byKey[images.order.removeFirst()] = nil }
        }
    }

    func removeImage(for key: ImageKey) {
        images.withLock { images in
            if images.byKey.removeValue(forKey: key) != nil { images.order.removeAll { $0 == key } }
        }
    }

    func removeAll() { images.withLock { $0 = ([:], []) } }
}

/// Keeps the last 500 originals. Every hundredth call fails.
final class SmallDataCache: DataCaching {
    private let entries = Lock<(byKey: [DataKey: DataEntry], order: [DataKey], calls: Int)>(([:], [], 0))

    func entry(for key: DataKey) async throws -> DataEntry? {
        try fail()
        return entries.withLock { $0.byKey[key] }
    }

    func store(_ entry: DataEntry, for key: DataKey) async throws {
        try fail()
        entries.withLock { entries in
            if entries.byKey.updateValue(entry, forKey: key) == nil { entries.order.append(key) }
            if entries.order.count > 500 { entries.byKey[entries.order.removeFirst()] = nil }
        }
    }

    func removeEntry(for key: DataKey) async throws {
        entries.withLock { entries in
            if entries.byKey.removeValue(forKey: key) != nil { entries.order.removeAll { $0 == key } }
        }
    }

    func removeAll() async throws { entries.withLock { $0 = ([:], [], 0) } }

    private func fail() throws {
        let isDue = entries.withLock { entries in
            entries.calls += 1
            return entries.calls % 100 == 0
        }
        if isDue { throw ImageError(.plugInFailed, message: "disk failure") }
    }
}
