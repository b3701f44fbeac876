#if os(Linux)
    internal import CalotypeSystem

    /// Memory straight from the system, in pages of 2 MB where it gives them on request. A large bitmap is written from one end
    /// to the other, and most of that time would go into thousands of page faults: 48 MB take 20 ms with pages of 4 KB, and
    /// 4 ms with these. Large pages begin at multiples of their size, where the allocator's blocks do not.
    enum LargeMemory {
        /// Below so many bytes there is little to win.
        static let least = 4 << 20
        private static let largePage = 2 << 20

        /// Zeroed memory, untouched as yet, or `nil` where there is none.
        static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
            guard byteCount <= Int.max - 4 * largePage else { return nil }
            let length = length(byteCount)
            let block = unsafe mmap(
                nil, length + largePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0)
            guard let block = unsafe block, Int(bitPattern: block) != -1 else { return nil }
            // What lies before the boundary and after the end goes back.
            let before = -Int(bitPattern: block) & (largePage - 1)
            let memory = unsafe block + before
            if before > 0 { _ = unsafe munmap(block, before) }
            if before < largePage { _ = unsafe munmap(memory + length, largePage - before) }
            // A wish: where it is not granted, pages are as they were.
            _ = unsafe madvise(memory, length, MADV_HUGEPAGE)
            return unsafe memory
        }

        /// Gives back what ``allocate(_:)`` gave for so many bytes.
        static func release(_ memory: UnsafeMutableRawPointer, byteCount: Int) { _ = unsafe munmap(memory, length(byteCount)) }

        /// Whole pages; the last is a large one where more than half of it is used.
        private static func length(_ byteCount: Int) -> Int {
            let isLarge = byteCount & (largePage - 1) > largePage / 2
            let page = isLarge ? largePage : max(4096, sysconf(Int32(_SC_PAGESIZE)))
            return (byteCount + page - 1) & ~(page - 1)
        }
    }
#endif
