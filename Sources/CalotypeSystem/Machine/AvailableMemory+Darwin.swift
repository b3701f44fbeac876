#if canImport(Darwin)
    extension AvailableMemory {
        /// The physical memory, or what the system still allows this process to use. Widgets and other extensions may
        /// use only some tens of megabytes.
        package static func current() -> Int {
            var bytes: UInt64 = 0
            var size = MemoryLayout<UInt64>.size
            let status = unsafe sysctlbyname("hw.memsize", &bytes, &size, nil, 0)
            return smallest(machine: status == 0 ? Int(clamping: bytes) : 1 << 30, limits: [processLimit])
        }
    }
#endif
