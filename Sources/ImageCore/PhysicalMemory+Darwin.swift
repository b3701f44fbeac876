#if canImport(Darwin)
    internal import CalotypeSystem

    enum PhysicalMemory {
        /// The memory of the machine, in bytes.
        static var byteCount: Int? {
            var bytes: UInt64 = 0
            var size = MemoryLayout<UInt64>.size
            return unsafe sysctlbyname("hw.memsize", &bytes, &size, nil, 0) == 0 ? Int(bytes) : nil
        }
    }
#endif
