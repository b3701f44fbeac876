#if canImport(os)
    internal import os

    extension AvailableMemory {
        /// What the system still allows this process to use; `nil` on macOS, which has no such limit.
        package static var processLimit: Int? {
            #if os(macOS) || targetEnvironment(macCatalyst)
                nil
            #else
                // 0 means that there is no limit, as in the simulator.
                os_proc_available_memory()
            #endif
        }
    }
#endif
