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

/// Draws images of four bytes per pixel, scaled to the context by taking the nearest pixel.
public final class CGContext {
    private let data: UnsafeMutableRawPointer?
    private let (width, height, bytesPerRow): (Int, Int, Int)

    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: UInt32
    ) {
        guard width > 0, height > 0, bitsPerComponent == 8, bytesPerRow >= width * 4 else { return nil }
        (self.data, self.width, self.height, self.bytesPerRow) = (data, width, height, bytesPerRow)
    }

    public func setBlendMode(_ mode: CGBlendMode) {}

    public func draw(_ image: CGImage, in rect: CGRect) {
        for y in 0..<height {
            for x in 0..<width {
                let source = image.provider.data + y * image.height / height * image.bytesPerRow + x * image.width / width * 4
                data?.advanced(by: y * bytesPerRow + x * 4).copyMemory(from: source, byteCount: 4)
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
