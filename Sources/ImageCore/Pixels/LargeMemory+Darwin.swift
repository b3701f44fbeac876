#if canImport(Darwin)
    /// Nothing special: the system's pages are 16 KB, and its allocator hands large blocks out as untouched pages.
    enum LargeMemory {
        static let least = Int.max

        static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? { nil }

        static func release(_ memory: UnsafeMutableRawPointer, byteCount: Int) {}
    }
#endif
