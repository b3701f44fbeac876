#if canImport(Darwin)
    internal import CalotypeSystem

    #if !os(macOS) && !targetEnvironment(macCatalyst)
        internal import os
    #endif

    extension AvailableMemory {
        /// The physical memory, or what the system still allows this process to use. Widgets and other extensions may use only some
        /// tens of megabytes.
        static func current() -> Int {
            var bytes: UInt64 = 0
            var size = MemoryLayout<UInt64>.size
            let status = unsafe sysctlbyname("hw.memsize", &bytes, &size, nil, 0)
            return smallest(machine: status == 0 ? Int(clamping: bytes) : 1 << 30, limits: [processLimit])
        }

        private static var processLimit: Int? {
            #if os(macOS) || targetEnvironment(macCatalyst)
                nil
            #else
                // 0 means that there is no limit, as in the simulator.
                os_proc_available_memory()
            #endif
        }
    }
#endif
