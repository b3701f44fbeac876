#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The word before the pixels, where the block's own address is kept.
private let headerSize = unsafe MemoryLayout<UnsafeMutableRawPointer>.size

/// Zeroed memory at a 64-byte boundary, or `nil` where there is none. The system's allocator hands large blocks out as
/// untouched zero pages, so a bitmap costs only the rows that are written.
func allocateAligned(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let (padded, overflow) = byteCount.addingReportingOverflow(64 + headerSize)
    guard !overflow, let block = unsafe calloc(1, padded) else { return nil }
    unsafe adviseHugePages(block, byteCount: padded)
    let offset = (UInt(bitPattern: block) + UInt(headerSize) + 63) & ~63 - UInt(bitPattern: block)
    let pixels = unsafe block + Int(offset)
    unsafe pixels.storeBytes(of: block, toByteOffset: -headerSize, as: UnsafeMutableRawPointer.self)
    return unsafe pixels
}

/// Gives back what `allocateAligned` gave.
func releaseAligned(_ pixels: UnsafeMutableRawPointer) {
    unsafe free(pixels.load(fromByteOffset: -headerSize, as: UnsafeMutableRawPointer.self))
}
