internal import CalotypeSystem

/// The bytes before the pixels, which store the address of the allocated block.
private let headerSize = unsafe MemoryLayout<UnsafeMutableRawPointer>.size

/// Allocates zeroed memory at a multiple of 64 bytes; `nil` if there is not enough memory.
///
/// A large block consists of untouched pages, so that rows which are never written take no physical memory.
func allocateAligned(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    #if ADDRESS_SANITIZER
        // The sanitizer's allocator, with the exact size, so that accesses beyond the end are detected.
        var block: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&block, 64, byteCount) == 0, let pixels = unsafe block else { return nil }
        return unsafe memset(pixels, 0, byteCount)
    #else
        if byteCount >= LargeMemory.minimumBytes { return unsafe LargeMemory.allocate(byteCount) }
        let (padded, overflow) = byteCount.addingReportingOverflow(64 + headerSize)
        guard !overflow, let block = unsafe calloc(1, padded) else { return nil }
        let offset = (UInt(bitPattern: block) + UInt(headerSize) + 63) & ~63 - UInt(bitPattern: block)
        let pixels = unsafe block + Int(offset)
        unsafe pixels.storeBytes(of: block, toByteOffset: -headerSize, as: UnsafeMutableRawPointer.self)
        return unsafe pixels
    #endif
}

/// Frees memory that `allocateAligned` returned for the same byte count.
func releaseAligned(_ pixels: UnsafeMutableRawPointer, byteCount: Int) {
    #if ADDRESS_SANITIZER
        unsafe free(pixels)
    #else
        if byteCount >= LargeMemory.minimumBytes { return unsafe LargeMemory.release(pixels, byteCount: byteCount) }
        unsafe free(pixels.load(fromByteOffset: -headerSize, as: UnsafeMutableRawPointer.self))
    #endif
}
