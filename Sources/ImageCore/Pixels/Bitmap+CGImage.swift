#if canImport(CoreGraphics)
    public import CoreGraphics

    extension Bitmap {
        /// The picture as a `CGImage` over this bitmap's own memory: no pixel is copied, and the image keeps the bitmap.
        ///
        /// `nil` where Core Graphics refuses the form, such as an embedded profile that it cannot read.
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
            // Samples of 16 bits are in the machine's order, and every Apple machine is little-endian.
            let order = bits == 16 ? CGBitmapInfo.byteOrder16Little.rawValue : 0
            return unsafe CGImage(
                width: width, height: height, bitsPerComponent: bits, bitsPerPixel: format.bytesPerPixel * 8,
                bytesPerRow: bytesPerRow, space: space, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue | order),
                provider: provider, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
        }

        private func makeProvider() -> CGDataProvider? {
            // The provider owns a reference to the pixels, so that their address stays good after the closure.
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
