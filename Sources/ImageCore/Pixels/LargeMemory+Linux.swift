#if os(Linux)
    internal import CalotypeSystem

    /// Memory from the system, in pages of 2 MB if the kernel grants them.
    ///
    /// With pages of 4 KB, page faults take most of the time of writing a large bitmap. A large page must begin at a
    /// multiple of its size, which blocks of `malloc` do not.
    enum LargeMemory {
        #if ADDRESS_SANITIZER
            /// The sanitizer detects accesses beyond the end of blocks from its own allocator.
            static let minimumBytes = Int.max
        #else
            /// Smaller bitmaps gain little from large pages.
            static let minimumBytes = 4 << 20
        #endif
        private static let largePage = 2 << 20

        /// Allocates zeroed, untouched memory; `nil` if there is not enough.
        static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
            guard byteCount <= Int.max - 4 * largePage else { return nil }
            let length = length(byteCount)
            let block = unsafe mmap(
                nil, length + largePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0)
            guard let block = unsafe block, Int(bitPattern: block) != -1 else { return nil }
            // Unmaps what lies before the boundary and after the end.
            let before = -Int(bitPattern: block) & (largePage - 1)
            let memory = unsafe block + before
            if before > 0 { _ = unsafe munmap(block, before) }
            if before < largePage { _ = unsafe munmap(memory + length, largePage - before) }
            // If the kernel does not grant large pages, the memory has normal ones.
            _ = unsafe madvise(memory, length, MADV_HUGEPAGE)
            return unsafe memory
        }

        /// Frees memory that ``allocate(_:)`` returned for the same byte count.
        static func release(_ memory: UnsafeMutableRawPointer, byteCount: Int) { _ = unsafe munmap(memory, length(byteCount)) }

        /// The size in whole pages. The last page is a large one if more than half of it is used.
        private static func length(_ byteCount: Int) -> Int {
            let isLarge = byteCount & (largePage - 1) > largePage / 2
            let page = isLarge ? largePage : max(4096, sysconf(Int32(_SC_PAGESIZE)))
            return (byteCount + page - 1) & ~(page - 1)
        }
    }
#endif
