internal import CalotypeSystem

/// Allocates zeroed memory at a multiple of 64 bytes; `nil` if there is not enough memory.
///
/// A large block consists of untouched pages, so that rows which are never written take no physical memory.
func allocateAligned(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    if byteCount >= LargeMemory.minimumBytes { return unsafe LargeMemory.allocate(byteCount) }
    var block: UnsafeMutableRawPointer?
    guard unsafe posix_memalign(&block, 64, byteCount) == 0, let pixels = unsafe block else { return nil }
    return unsafe memset(pixels, 0, byteCount)
}

/// Frees memory that `allocateAligned` returned for the same byte count.
func releaseAligned(_ pixels: UnsafeMutableRawPointer, byteCount: Int) {
    if byteCount >= LargeMemory.minimumBytes {
        unsafe LargeMemory.release(pixels, byteCount: byteCount)
    } else {
        unsafe free(pixels)
    }
}
