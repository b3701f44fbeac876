#if canImport(Darwin)
    internal import CalotypeSystem

    extension AvailableMemory {
        /// The physical memory. On phones the system's limit for one process is lower and may change; the cache's upper bound of
        /// 512 MB and memory warnings cover that.
        static func current() -> Int {
            var bytes: UInt64 = 0
            var size = MemoryLayout<UInt64>.size
            let status = unsafe sysctlbyname("hw.memsize", &bytes, &size, nil, 0)
            return status == 0 ? Int(clamping: bytes) : 1 << 30
        }
    }
#endif
