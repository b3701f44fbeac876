// Core Graphics as far as bitmaps need it. Images keep their provider, and providers release their data.
@_exported import Foundation

public typealias CFData = Data
public typealias CFString = String

public final class CGColorSpace: Sendable {
    public static let sRGB: CFString = "sRGB"
    public static let genericGrayGamma2_2: CFString = "gray"
    public let name: String
    public init?(name: CFString) { self.name = name }
    /// Takes what begins as a profile should.
    public init?(iccData: CFData) {
        guard iccData.count >= 128 else { return nil }
        name = "icc"
    }
}

public enum CGImageAlphaInfo: UInt32, Sendable { case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast }

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
