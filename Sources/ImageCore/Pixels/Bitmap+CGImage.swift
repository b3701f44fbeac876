#if canImport(CoreGraphics)
    public import CoreGraphics

    extension Bitmap {
        /// Returns a `CGImage` that uses the memory of this bitmap without a copy.
        ///
        /// The image is made at the first call and kept with the pixels, so that Core Animation prepares them for the
        /// display only once.
        ///
        /// - Returns: `nil` if Core Graphics rejects the bitmap, for example because it cannot read the colour profile.
        public func makeCGImage() -> CGImage? { sharedCGImage { makeCGImage($0) } }

        private func makeCGImage(_ provider: CGDataProvider) -> CGImage? {
            let space: CGColorSpace? =
                switch (colorSpace, format.channels) {
                case (.icc(let profile), _): CGColorSpace(iccData: profile as CFData)
                case (.sRGB, 1): CGColorSpace(name: CGColorSpace.genericGrayGamma2_2)
                case (.sRGB, _): CGColorSpace(name: CGColorSpace.sRGB)
                }
            guard let space else { return nil }
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
    }
#endif
