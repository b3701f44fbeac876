package import ImageCore

/// Samples of 8 or 16 bits in memory, such as a row of pixels.
@unsafe struct PixelSamples {
    let base: UnsafeMutableRawPointer
    let isWide: Bool

    init(_ base: UnsafeMutableRawPointer, isWide: Bool) { unsafe (self.base, self.isWide) = (base, isWide) }

    /// Samples that are only read.
    init(reading base: UnsafeRawPointer, isWide: Bool) {
        unsafe self.init(UnsafeMutableRawPointer(mutating: base), isWide: isWide)
    }

    /// The highest level.
    var most: Int { unsafe isWide ? 65535 : 255 }

    /// The level of a sample.
    subscript(index: Int) -> Int {
        get {
            unsafe isWide
                ? Int(base.load(fromByteOffset: 2 * index, as: UInt16.self))
                : Int(base.load(fromByteOffset: index, as: UInt8.self))
        }
        nonmutating set {
            if unsafe isWide {
                unsafe base.storeBytes(of: UInt16(truncatingIfNeeded: newValue), toByteOffset: 2 * index, as: UInt16.self)
            } else {
                unsafe base.storeBytes(of: UInt8(truncatingIfNeeded: newValue), toByteOffset: index, as: UInt8.self)
            }
        }
    }

    /// Converts a level to the depth of these samples, to the nearest.
    func scaled(_ level: Int, isWide wasWide: Bool) -> Int {
        if unsafe isWide == wasWide { return level }
        return unsafe isWide ? level * 257 : (level * 255 + 32767) / 65535
    }
}

extension PixelFormat {
    /// Whether samples have 16 bits.
    package var isWide: Bool { bytesPerPixel > channels }
}

extension Bitmap {
    /// The highest level: 255 or 65,535.
    package var fullLevel: Int { format.isWide ? 65535 : 255 }
}
