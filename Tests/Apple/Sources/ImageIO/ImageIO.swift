// ImageIO for a simple format that tests write by hand: `TOY`, a letter for the type, and then one byte each for width, height,
// orientation, number of frames, flags (1: has alpha, 2: truncated, 4: damaged), red, green, blue and alpha. Every pixel has that
// colour, except the upper left pixel of the stored image, which is white, so that tests can see a rotation.
public import CoreGraphics

public final class CGImageSource {
    let header: [Int]
    let type: String?
    init?(_ data: Data) {
        let bytes = data.map(Int.init)
        guard bytes.count >= 4, bytes[0..<3].elementsEqual("TOY".utf8.map(Int.init)) else { return nil }
        type =
            ["j": "public.jpeg", "p": "public.png", "h": "public.heic", "x": "org.example.other"][
                String(UnicodeScalar(UInt8(bytes[3])))]
        header = Array(bytes.dropFirst(4)) + Array(repeating: 0, count: 9)
    }
    var size: (width: Int, height: Int) { (header[0], header[1]) }
}

public enum CGImageSourceStatus: Sendable { case statusUnexpectedEOF, statusInvalidData, statusIncomplete, statusComplete }

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { CGImageSource(data) }
public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? { source.type }
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { source.header[3] }
public func CGImageSourceGetStatusAtIndex(_ source: CGImageSource, _ index: Int) -> CGImageSourceStatus {
    source.header[4] & 2 != 0 ? .statusIncomplete : .statusComplete
}

public func CGImageSourceCopyPropertiesAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CFDictionary? {
    guard index < source.header[3], source.header[0] > 0 else { return nil }
    return [
        kCGImagePropertyPixelWidth: source.size.width, kCGImagePropertyPixelHeight: source.size.height,
        kCGImagePropertyOrientation: source.header[2], kCGImagePropertyHasAlpha: source.header[4] & 1 != 0,
        kCGImagePropertyDepth: 8, kCGImagePropertyColorModel: "RGB", kCGImagePropertyProfileName: "sRGB",
    ]
}

/// Scales the image to the longer side, and applies orientation 6, a quarter turn, if the options say so.
public func CGImageSourceCreateThumbnailAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? {
    guard source.header[4] & 4 == 0, index < source.header[3] else { return nil }
    let side = options?[kCGImageSourceThumbnailMaxPixelSize] as? Int ?? .max
    let turns = options?[kCGImageSourceCreateThumbnailWithTransform] as? Bool == true && source.header[2] == 6
    var (width, height) = turns ? (source.size.height, source.size.width) : source.size
    let longer = max(width, height)
    if side < longer {
        (width, height) = (max(1, (width * side + longer / 2) / longer), max(1, (height * side + longer / 2) / longer))
    }
    var pixels = (0..<width * height).flatMap { _ in source.header[5..<9].map { UInt8($0) } }
    let corner = turns ? width - 1 : 0
    pixels.replaceSubrange(corner * 4..<corner * 4 + 4, with: [255, 255, 255, 255])
    let memory = UnsafeMutableRawPointer.allocate(byteCount: pixels.count, alignment: 16)
    memory.copyMemory(from: pixels, byteCount: pixels.count)
    guard let space = CGColorSpace(name: CGColorSpace.sRGB),
        let provider = CGDataProvider(
            dataInfo: memory, data: memory, size: pixels.count, releaseData: { info, _, _ in info?.deallocate() })
    else { return nil }
    let alpha = source.header[4] & 1 != 0 ? CGImageAlphaInfo.premultipliedLast : .noneSkipLast
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
