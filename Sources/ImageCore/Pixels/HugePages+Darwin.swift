#if canImport(Darwin)
    /// Nothing to ask for: the system's pages are 16 KB.
    func adviseHugePages(_ memory: UnsafeMutableRawPointer, byteCount: Int) {}
#endif
