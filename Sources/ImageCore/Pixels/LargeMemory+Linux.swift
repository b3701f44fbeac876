#if os(Linux)
    internal import CalotypeSystem

    /// Memory from the system, in pages of 2 MB if the kernel grants them.
    ///
    /// With pages of 4 KB, page faults take most of the time of writing a large bitmap.
    enum LargeMemory {
        #if ADDRESS_SANITIZER
            /// The sanitizer detects accesses beyond the end of blocks from its own allocator.
            static let minimumBytes = Int.max
        #else
            /// Smaller bitmaps gain little from large pages.
            static let minimumBytes = 4 << 20
        #endif

        /// Allocates zeroed, untouched memory; `nil` if there is not enough.
        static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
            let block = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0)
            guard let block = unsafe block, Int(bitPattern: block) != -1 else { return nil }
            // If the kernel does not grant large pages, the memory has normal ones.
            _ = unsafe madvise(block, byteCount, MADV_HUGEPAGE)
            return unsafe block
        }

        /// Frees memory that ``allocate(_:)`` returned for the same byte count.
        static func release(_ memory: UnsafeMutableRawPointer, byteCount: Int) { _ = unsafe munmap(memory, byteCount) }
    }
#endif
