// ImageIO for a simple format that tests write by hand: `TOY`, a letter for the type, and then one byte each for
// width, height, orientation, number of frames, flags, red, green, blue and alpha. The flags are 1: has alpha, 2:
// truncated, 4: damaged, 8: has a thumbnail of half the size in the complementary colour, 16: the last frame is the
// primary image, 32: has 16 bits per channel. One byte for each row may follow; rows whose byte has not arrived are
// transparent, and black without alpha. Every pixel has the colour of the file, with the frame added to red, except
// the upper left corner of the stored image, which is white, so that tests can see a rotation.
public import CoreGraphics

public final class CGImageSource {
    fileprivate var data = Data()
    fileprivate let isIncremental: Bool
    fileprivate var isFinal = true
    init(isIncremental: Bool) { self.isIncremental = isIncremental }
    convenience init?(_ data: Data) {
        self.init(isIncremental: false)
        self.data = data
        guard hasType else { return nil }
    }
    fileprivate var hasType: Bool { data.count >= 4 && data.prefix(3).elementsEqual("TOY".utf8) }
    fileprivate var hasHeader: Bool { hasType && data.count >= 13 }
    var header: [Int] { Array(data.dropFirst(4).prefix(9).map(Int.init)) + Array(repeating: 0, count: 9) }
    var type: String? {
        guard hasType else { return nil }
        return [
            "j": "public.jpeg", "p": "public.png", "h": "public.heic", "g": "com.compuserve.gif", "w": "org.webmproject.webp",
            "s": "public.heics", "v": "public.avis", "x": "org.example.other",
        ][String(UnicodeScalar(data[data.startIndex + 3]))]
    }
    var size: (width: Int, height: Int) { (header[0], header[1]) }
    var flags: Int { header[4] }
    /// The rows that have arrived.
    var rows: Int { isIncremental && !isFinal ? min(size.height, max(0, data.count - 13)) : size.height }
    /// What was done with images, for tests.
    public nonisolated(unsafe) static var log: [String] = []
}

public enum CGImageSourceStatus: Int32, Sendable {
    case statusUnexpectedEOF = -5, statusInvalidData, statusUnknownType, statusReadingHeader, statusIncomplete, statusComplete
}

public func CGImageSourceCopyTypeIdentifiers() -> CFArray {
    ["public.jpeg", "public.png", "com.compuserve.gif", "org.webmproject.webp", "public.heic", "public.heics", "public.avis"]
}
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { CGImageSource(data) }
public func CGImageSourceCreateIncremental(_ options: CFDictionary?) -> CGImageSource { CGImageSource(isIncremental: true) }
public func CGImageSourceUpdateData(_ source: CGImageSource, _ data: CFData, _ isFinal: Bool) {
    (source.data, source.isFinal) = (data, isFinal)
}
public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? { source.type }
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { source.hasHeader ? source.header[3] : 0 }
public func CGImageSourceGetPrimaryImageIndex(_ source: CGImageSource) -> Int {
    source.flags & 16 != 0 ? max(0, source.header[3] - 1) : 0
}
public func CGImageSourceGetStatus(_ source: CGImageSource) -> CGImageSourceStatus {
    if !source.hasHeader { return source.isIncremental ? .statusReadingHeader : .statusUnexpectedEOF }
    return source.isIncremental && !source.isFinal ? .statusIncomplete : .statusComplete
}
public func CGImageSourceGetStatusAtIndex(_ source: CGImageSource, _ index: Int) -> CGImageSourceStatus {
    source.flags & 2 != 0 ? .statusIncomplete : CGImageSourceGetStatus(source)
}

private let dictionaries: [String: (name: CFString, delay: CFString, unclamped: CFString, loops: CFString)] = [
    "com.compuserve.gif": (
        kCGImagePropertyGIFDictionary, kCGImagePropertyGIFDelayTime, kCGImagePropertyGIFUnclampedDelayTime,
        kCGImagePropertyGIFLoopCount
    ),
    "public.png": (
        kCGImagePropertyPNGDictionary, kCGImagePropertyAPNGDelayTime, kCGImagePropertyAPNGUnclampedDelayTime,
        kCGImagePropertyAPNGLoopCount
    ),
    "org.webmproject.webp": (
        kCGImagePropertyWebPDictionary, kCGImagePropertyWebPDelayTime, kCGImagePropertyWebPUnclampedDelayTime,
        kCGImagePropertyWebPLoopCount
    ),
    "public.heics": (
        kCGImagePropertyHEICSDictionary, kCGImagePropertyHEICSDelayTime, kCGImagePropertyHEICSUnclampedDelayTime,
        kCGImagePropertyHEICSLoopCount
    ),
    "public.avis": (
        "{AVIS}", kCGImagePropertyHEICSDelayTime, kCGImagePropertyHEICSUnclampedDelayTime, kCGImagePropertyHEICSLoopCount
    ),
]

/// Whether ImageIO has the delays of the frames in one array, instead of with each frame.
private func hasFrameInfoArray(_ type: String) -> Bool { type == "public.heics" || type == "public.avis" }

private func delay(_ index: Int, _ keys: (name: CFString, delay: CFString, unclamped: CFString, loops: CFString)) -> CFDictionary {
    [keys.delay: 0.1, keys.unclamped: 0.03 + Double(index) / 100]
}

/// Frames of animations are shown for 0.03 s, 0.04 s and so on, which the clamped delay raises to 0.1 s.
public func CGImageSourceCopyPropertiesAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CFDictionary? {
    guard source.hasHeader, index < source.header[3], source.header[0] > 0 else { return nil }
    var properties: CFDictionary = [
        kCGImagePropertyPixelWidth: source.size.width, kCGImagePropertyPixelHeight: source.size.height,
        kCGImagePropertyOrientation: source.header[2], kCGImagePropertyHasAlpha: source.flags & 1 != 0,
        kCGImagePropertyDepth: source.flags & 32 != 0 ? 16 : 8, kCGImagePropertyColorModel: "RGB",
        kCGImagePropertyProfileName: "sRGB",
    ]
    if let type = source.type, let keys = dictionaries[type], source.header[3] > 1, !hasFrameInfoArray(type) {
        properties[keys.name] = delay(index, keys)
    }
    return properties
}

public func CGImageSourceCopyProperties(_ source: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
    guard let type = source.type, let keys = dictionaries[type] else { return [:] }
    var properties: CFDictionary = [keys.loops: 3]
    if hasFrameInfoArray(type) {
        properties[kCGImagePropertyHEICSFrameInfoArray] = (0..<source.header[3]).map { delay($0, keys) }
    }
    return [keys.name: properties]
}

/// Makes an image that is decoded when it is drawn.
public func CGImageSourceCreateImageAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? {
    guard source.hasHeader, source.flags & 4 == 0, index < source.header[3] else { return nil }
    let image = makeImage(source, index, source.size.width, source.size.height, corner: 0)
    let isCached = options?[kCGImageSourceShouldCache] as? Bool ?? true
    image?.decode = { CGImageSource.log.append("decoded while drawn, cached \(isCached)") }
    return image
}

/// Scales the image to the longer side, and applies orientation 6, a quarter turn, if the options say so.
public func CGImageSourceCreateThumbnailAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? {
    guard source.hasHeader, source.flags & 4 == 0, index < source.header[3] else { return nil }
    let turns = options?[kCGImageSourceCreateThumbnailWithTransform] as? Bool == true && source.header[2] == 6
    var (width, height) = turns ? (source.size.height, source.size.width) : source.size
    if options?[kCGImageSourceCreateThumbnailFromImageAlways] as? Bool != true {
        guard source.flags & 8 != 0 || options?[kCGImageSourceCreateThumbnailFromImageIfAbsent] as? Bool == true else {
            return nil
        }
        return makeImage(source, index, width / 2, height / 2, corner: turns ? width / 2 - 1 : 0, isComplementary: true)
    }
    let side = options?[kCGImageSourceThumbnailMaxPixelSize] as? Int ?? .max
    let longer = max(width, height)
    if side < longer {
        (width, height) = (max(1, (width * side + longer / 2) / longer), max(1, (height * side + longer / 2) / longer))
    }
    CGImageSource.log.append("thumbnail \(width)x\(height)")
    return makeImage(source, index, width, height, corner: turns ? width - 1 : 0)
}

private func makeImage(
    _ source: CGImageSource, _ index: Int, _ width: Int, _ height: Int, corner: Int, isComplementary: Bool = false
) -> CGImage? {
    guard width > 0, height > 0 else { return nil }
    var color = source.header[5..<9].map { UInt8($0) }
    color[0] &+= UInt8(index)
    if isComplementary { for sample in 0..<3 { color[sample] = 255 - color[sample] } }
    let missing: [UInt8] = [0, 0, 0, source.flags & 1 != 0 ? 0 : 255]
    var pixels = (0..<width * height).flatMap { $0 / width * source.size.height / height < source.rows ? color : missing }
    let white = corner == 0 ? max(1, width / 8) : 1
    pixels.replaceSubrange(corner * 4..<(corner + white) * 4, with: Array(repeating: 255, count: white * 4))
    let memory = UnsafeMutableRawPointer.allocate(byteCount: pixels.count, alignment: 16)
    memory.copyMemory(from: pixels, byteCount: pixels.count)
    guard let space = CGColorSpace(name: CGColorSpace.sRGB),
        let provider = CGDataProvider(
            dataInfo: memory, data: memory, size: pixels.count, releaseData: { info, _, _ in info?.deallocate() })
    else { return nil }
    let alpha = source.flags & 1 != 0 ? CGImageAlphaInfo.premultipliedLast : .noneSkipLast
    return CGImage(
        width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: width * 4, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil, shouldInterpolate: true,
        intent: .defaultIntent)
}

public final class CGImageDestination {
    let file: CFMutableData
    let type: String
    var image: CGImage?
    var properties: CFDictionary?
    init(_ file: CFMutableData, _ type: String) { (self.file, self.type) = (file, type) }
}

public func CGImageDestinationCopyTypeIdentifiers() -> CFArray { ["public.jpeg", "public.png", "org.example.other"] }
public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    (CGImageDestinationCopyTypeIdentifiers() as? [String])?.contains(type) == true
        ? CGImageDestination(data, type) : nil
}
public func CGImageDestinationAddImage(_ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {
    (destination.image, destination.properties) = (image, properties)
}
/// Writes the type, the size and the properties as text.
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool {
    guard let image = destination.image else { return false }
    let quality = destination.properties?[kCGImageDestinationLossyCompressionQuality] as? Double ?? -1
    let orientation = destination.properties?[kCGImagePropertyOrientation] as? Int ?? 0
    destination.file.append(
        Data("\(destination.type) \(image.width)x\(image.height) quality \(quality) orientation \(orientation)".utf8))
    return true
}

public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = "kCGImageSourceCreateThumbnailFromImageAlways"
public let kCGImageSourceCreateThumbnailWithTransform: CFString = "kCGImageSourceCreateThumbnailWithTransform"
public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"
public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"
public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"
public let kCGImagePropertyOrientation: CFString = "Orientation"
public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"
public let kCGImagePropertyDepth: CFString = "Depth"
public let kCGImagePropertyProfileName: CFString = "ProfileName"
public let kCGImagePropertyIsIndexed: CFString = "IsIndexed"
public let kCGImagePropertyColorModel: CFString = "ColorModel"
public let kCGImagePropertyColorModelGray: CFString = "Gray"
public let kCGImagePropertyColorModelCMYK: CFString = "CMYK"
public let kCGImagePropertyJFIFDictionary: CFString = "{JFIF}"
public let kCGImagePropertyJFIFIsProgressive: CFString = "IsProgressive"
public let kCGImageDestinationLossyCompressionQuality: CFString = "kCGImageDestinationLossyCompressionQuality"
public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString = "kCGImageSourceCreateThumbnailFromImageIfAbsent"
public let kCGImagePropertyGIFDictionary: CFString = "{GIF}"
public let kCGImagePropertyGIFDelayTime: CFString = "DelayTime"
public let kCGImagePropertyGIFUnclampedDelayTime: CFString = "UnclampedDelayTime"
public let kCGImagePropertyGIFLoopCount: CFString = "LoopCount"
public let kCGImagePropertyPNGDictionary: CFString = "{PNG}"
public let kCGImagePropertyAPNGDelayTime: CFString = "DelayTime"
public let kCGImagePropertyAPNGUnclampedDelayTime: CFString = "UnclampedDelayTime"
public let kCGImagePropertyAPNGLoopCount: CFString = "LoopCount"
public let kCGImagePropertyWebPDictionary: CFString = "{WebP}"
public let kCGImagePropertyWebPDelayTime: CFString = "DelayTime"
public let kCGImagePropertyWebPUnclampedDelayTime: CFString = "UnclampedDelayTime"
public let kCGImagePropertyWebPLoopCount: CFString = "LoopCount"
public let kCGImagePropertyHEICSDictionary: CFString = "{HEICS}"
public let kCGImagePropertyHEICSDelayTime: CFString = "DelayTime"
public let kCGImagePropertyHEICSUnclampedDelayTime: CFString = "UnclampedDelayTime"
public let kCGImagePropertyHEICSLoopCount: CFString = "LoopCount"
public let kCGImagePropertyHEICSFrameInfoArray: CFString = "FrameInfo"
