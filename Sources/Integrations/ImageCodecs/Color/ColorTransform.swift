import CCalotypeLCMS
import ImageCore

/// A conversion of rows of colours to sRGB.
protocol RowTransform: AnyObject {
    func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, width: Int)
}

/// Little CMS's conversion of rows from an embedded profile to sRGB, relative colorimetric.
@safe final class ColorTransform: RowTransform {
    private let handle: OpaquePointer

    /// Creates a conversion, or returns `nil` if none is needed or possible: the profile is damaged, does not fit the pixels, or
    /// equals sRGB.
    ///
    /// - Parameter isSmall: Whether the image has few pixels, so that the preparation must be cheap.
    init?(_ icc: Data, from source: RowLayout, to target: PixelFormat, isSmall: Bool) {
        let handle = unsafe icc.withUnsafeBytes { bytes in
            unsafe clt_transform_create(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, source.cLayout, target.cLayout, isSmall)
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
        if unsafe clt_transform_is_identity(handle) { return nil }
    }

    deinit { unsafe clt_transform_destroy(handle) }

    func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, width: Int) {
        unsafe clt_transform_row(handle, source, target, UInt32(width))
    }
}
