// The parts of Core Graphics that bitmaps need. Images retain their provider, which releases its data.
@_exported import Foundation

public typealias CFData = Data
public typealias CFString = String
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFMutableData = NSMutableData
public typealias CFArray = [Any]

public final class CGColorSpace: Sendable {
    public static let sRGB: CFString = "sRGB"
    public static let genericGrayGamma2_2: CFString = "gray"
    public let name: String
    public init?(name: CFString) { self.name = name }
    /// Accepts data that is long enough for the header of a profile.
    public init?(iccData: CFData) {
        guard iccData.count >= 128 else { return nil }
        name = "icc"
    }
    public var model: CGColorSpaceModel { name == "gray" ? .monochrome : .rgb }
    public func copyICCData() -> CFData? { name == "icc" ? CFData(count: 128) : nil }
}

public enum CGColorSpaceModel: Sendable { case unknown, monochrome, rgb, cmyk }
public enum CGBlendMode: Sendable { case normal, copy }

public enum CGInterpolationQuality: Sendable { case `default`, none, low, medium, high }

public struct CGAffineTransform: Sendable {
    public var a, b, c, d, tx, ty: CGFloat
    public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
        (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
    }
    /// This transform, and then the other.
    public func concatenating(_ other: CGAffineTransform) -> CGAffineTransform {
        CGAffineTransform(
            a: a * other.a + b * other.c, b: a * other.b + b * other.d, c: c * other.a + d * other.c,
            d: c * other.b + d * other.d,
            tx: tx * other.a + ty * other.c + other.tx, ty: tx * other.b + ty * other.d + other.ty)
    }
    public func inverted() -> CGAffineTransform {
        let scale = a * d - b * c
        return CGAffineTransform(
            a: d / scale, b: -b / scale, c: -c / scale, d: a / scale, tx: (c * ty - d * tx) / scale,
            ty: (b * tx - a * ty) / scale)
    }
}

/// Draws images of four bytes per pixel by taking the nearest pixel. As in Core Graphics, the origin is at the lower left. Samples of
/// 16 bits repeat the byte.
public final class CGContext {
    private let data: UnsafeMutableRawPointer?
    private let (width, height, bytesPerRow): (Int, Int, Int)
    private let bytesPerSample: Int
    private var transform = CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)
    public var interpolationQuality = CGInterpolationQuality.default

    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: UInt32
    ) {
        guard width > 0, height > 0, [8, 16].contains(bitsPerComponent), bytesPerRow >= width * bitsPerComponent / 2 else {
            return nil
        }
        (self.data, self.width, self.height, self.bytesPerRow) = (data, width, height, bytesPerRow)
        bytesPerSample = bitsPerComponent / 8
    }

    public func setBlendMode(_ mode: CGBlendMode) {}
    public func concatenate(_ transform: CGAffineTransform) { self.transform = transform.concatenating(self.transform) }

    public func draw(_ image: CGImage, in rect: CGRect) {
        image.decode?()
        let inverse = transform.inverted()
        for y in 0..<height {
            for x in 0..<width {
                let (px, py) = (CGFloat(x) + 0.5, CGFloat(height - y) - 0.5)
                let column = (inverse.a * px + inverse.c * py + inverse.tx - rect.minX) / rect.width
                let row = 1 - (inverse.b * px + inverse.d * py + inverse.ty - rect.minY) / rect.height
                guard (0..<1).contains(column), (0..<1).contains(row) else { continue }
                let source =
                    image.provider.data + Int(row * CGFloat(image.height)) * image.bytesPerRow
                    + Int(column * CGFloat(image.width)) * 4
                for sample in 0..<4 * bytesPerSample {
                    data?.storeBytes(
                        of: source.load(fromByteOffset: sample / bytesPerSample, as: UInt8.self),
                        toByteOffset: y * bytesPerRow + x * 4 * bytesPerSample + sample, as: UInt8.self)
                }
            }
        }
    }
}

public enum CGImageAlphaInfo: UInt32, Sendable {
    case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst
}

public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let byteOrder16Little = CGBitmapInfo(rawValue: 1 << 12)
}

public enum CGColorRenderingIntent: Sendable { case defaultIntent }

public final class CGDataProvider {
    public typealias ReleaseData = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void
    public let data: UnsafeRawPointer
    public let size: Int
    private let info: UnsafeMutableRawPointer?
    private let releaseData: ReleaseData

    public init?(dataInfo: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int, releaseData: @escaping ReleaseData) {
        (info, self.data, self.size, self.releaseData) = (dataInfo, data, size, releaseData)
    }

    deinit { releaseData(info, data, size) }
}

public final class CGImage {
    public let width: Int
    public let height: Int
    public let bytesPerRow: Int
    public let bitmapInfo: CGBitmapInfo
    public let space: CGColorSpace
    public let provider: CGDataProvider
    /// Called when the image is drawn, for tests.
    public var decode: (() -> Void)?
    public var colorSpace: CGColorSpace? { space }
    public var alphaInfo: CGImageAlphaInfo { CGImageAlphaInfo(rawValue: bitmapInfo.rawValue & 31) ?? .none }

    public init?(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) {
        guard width > 0, height > 0, provider.size >= bytesPerRow * height else { return nil }
        (self.width, self.height, self.bytesPerRow) = (width, height, bytesPerRow)
        (self.bitmapInfo, self.space, self.provider) = (bitmapInfo, space, provider)
    }
}

public final class CGColor: Sendable {
    public let components: [CGFloat]
    public init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { components = [red, green, blue, alpha] }
}

// The part of the Objective-C runtime that views need, for one associated object of each object.
public enum objc_AssociationPolicy: Sendable { case OBJC_ASSOCIATION_RETAIN_NONATOMIC }

private struct Association {
    weak var owner: AnyObject?
    let value: Any
}

// nonisolated(unsafe) because the stubs' views are used on the main thread alone.
nonisolated(unsafe) private var associations: [ObjectIdentifier: Association] = [:]

public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    let owner = object as AnyObject
    associations[ObjectIdentifier(owner)] = value.map { Association(owner: owner, value: $0) }
}

/// Drops the objects of owners that were released.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    associations = associations.filter { $0.value.owner != nil }
    return associations[ObjectIdentifier(object as AnyObject)]?.value
}
