internal import CalotypeSystem

/// The word before the pixels, where the block's own address is kept.
private let headerSize = unsafe MemoryLayout<UnsafeMutableRawPointer>.size

/// Zeroed memory at a 64-byte boundary, or `nil` where there is none. Large blocks are untouched pages of the system's, so a
/// bitmap costs only the rows that are written.
func allocateAligned(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    #if ADDRESS_SANITIZER
        // Of the sanitizer's allocator and to the byte, so that it sees what is read or written beyond.
        var block: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&block, 64, byteCount) == 0, let pixels = unsafe block else { return nil }
        return unsafe memset(pixels, 0, byteCount)
    #else
        if byteCount >= LargeMemory.least { return unsafe LargeMemory.allocate(byteCount) }
        let (padded, overflow) = byteCount.addingReportingOverflow(64 + headerSize)
        guard !overflow, let block = unsafe calloc(1, padded) else { return nil }
        let offset = (UInt(bitPattern: block) + UInt(headerSize) + 63) & ~63 - UInt(bitPattern: block)
        let pixels = unsafe block + Int(offset)
        unsafe pixels.storeBytes(of: block, toByteOffset: -headerSize, as: UnsafeMutableRawPointer.self)
        return unsafe pixels
    #endif
}

/// Gives back what `allocateAligned` gave for so many bytes.
func releaseAligned(_ pixels: UnsafeMutableRawPointer, byteCount: Int) {
    #if ADDRESS_SANITIZER
        unsafe free(pixels)
    #else
        if byteCount >= LargeMemory.least { return unsafe LargeMemory.release(pixels, byteCount: byteCount) }
        unsafe free(pixels.load(fromByteOffset: -headerSize, as: UnsafeMutableRawPointer.self))
    #endif
}
