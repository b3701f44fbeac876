public import ImageCore

extension Bitmap {
    /// Returns the image as 8-bit RGBA: grey is repeated in red, green and blue with full alpha, and 16-bit samples are rounded
    /// to the nearest of 256 levels. Alpha mode and colour space do not change. An ``PixelFormat/rgba8`` bitmap is returned
    /// unchanged.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory.
    public func convertedToRGBA8() throws -> Bitmap {
        if format == .rgba8 { return self }
        return try unsafe Bitmap(size: size, format: .rgba8, alpha: alpha, colorSpace: colorSpace) { pixels, bytesPerRow in
            unsafe withUnsafePixels { source in
                for y in 0..<height {
                    let from = unsafe UnsafeRawBufferPointer(rebasing: source[(y * self.bytesPerRow)...])
                    let to = unsafe UnsafeMutableRawBufferPointer(rebasing: pixels[(y * bytesPerRow)...])
                    unsafe convertRow(from, to)
                }
            }
        }
    }

    private func convertRow(_ from: UnsafeRawBufferPointer, _ to: UnsafeMutableRawBufferPointer) {
        switch format {
        case .rgba8: break
        case .gray8:
            for x in 0..<width {
                let gray = unsafe UInt32(from[x])
                unsafe to.storeBytes(of: (gray * 0x010101 | 0xFF00_0000).littleEndian, toByteOffset: x * 4, as: UInt32.self)
            }
        case .gray16:
            for x in 0..<width {
                let gray = unsafe UInt32(narrow(from.load(fromByteOffset: x * 2, as: UInt16.self)))
                unsafe to.storeBytes(of: (gray * 0x010101 | 0xFF00_0000).littleEndian, toByteOffset: x * 4, as: UInt32.self)
            }
        case .rgba16:
            for i in 0..<width * 4 { unsafe to[i] = narrow(from.load(fromByteOffset: i * 2, as: UInt16.self)) }
        }
    }

    /// 0…65535 to 0…255, to the nearest.
    private func narrow(_ sample: UInt16) -> UInt8 { UInt8((UInt32(sample) * 255 + 32767) / 65535) }
}
