#if canImport(Darwin)
    /// Not used: pages have 16 KB.
    enum LargeMemory {
        static let minimumBytes = Int.max

        static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? { nil }

        static func release(_ memory: UnsafeMutableRawPointer, byteCount: Int) {}
    }
#endif
