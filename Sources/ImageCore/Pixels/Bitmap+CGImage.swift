#if canImport(CoreGraphics)
    public import CoreGraphics

    extension Bitmap {
        /// Makes a `CGImage` that uses the memory of this bitmap without a copy, and retains it.
        ///
        /// - Returns: `nil` if Core Graphics rejects the bitmap, for example because it cannot read the colour profile.
        public func makeCGImage() -> CGImage? {
            let space: CGColorSpace? =
                switch (colorSpace, format.channels) {
                case (.icc(let profile), _): CGColorSpace(iccData: profile as CFData)
                case (.sRGB, 1): CGColorSpace(name: CGColorSpace.genericGrayGamma2_2)
                case (.sRGB, _): CGColorSpace(name: CGColorSpace.sRGB)
                }
            guard let space, let provider = makeProvider() else { return nil }
            let alpha: CGImageAlphaInfo =
                switch (format.channels, self.alpha) {
                case (1, _): .none
                case (_, .opaque): .noneSkipLast
                case (_, .premultiplied): .premultipliedLast
                case (_, .straight): .last
                }
            let bits = format.bytesPerPixel / format.channels * 8
            // 16-bit samples have the byte order of the machine, and every Apple machine is little-endian.
            let order = bits == 16 ? CGBitmapInfo.byteOrder16Little.rawValue : 0
            return unsafe CGImage(
                width: width, height: height, bitsPerComponent: bits, bitsPerPixel: format.bytesPerPixel * 8,
                bytesPerRow: bytesPerRow, space: space, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue | order),
                provider: provider, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
        }

        private func makeProvider() -> CGDataProvider? {
            // The provider retains the pixels, so that their address stays valid after the closure.
            let owner = unsafe Unmanaged.passRetained(PixelOwner(self)).toOpaque()
            return unsafe withUnsafePixels { pixels in
                guard let start = pixels.baseAddress else { return nil }
                return unsafe CGDataProvider(dataInfo: owner, data: start, size: pixels.count) { owner, _, _ in
                    if let owner = unsafe owner { unsafe Unmanaged<PixelOwner>.fromOpaque(owner).release() }
                }
            }
        }
    }

    private final class PixelOwner {
        private let bitmap: Bitmap
        init(_ bitmap: Bitmap) { self.bitmap = bitmap }
    }
#endif
