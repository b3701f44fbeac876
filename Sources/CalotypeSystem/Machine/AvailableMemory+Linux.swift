#if !canImport(Darwin)
    extension AvailableMemory {
        package static func current() -> Int {
            let machine = max(0, sysconf(Int32(_SC_PHYS_PAGES))).multipliedReportingOverflow(
                by: max(1, sysconf(Int32(_SC_PAGESIZE))))
            let groups = ControlGroups(process: SmallFile.text(at: "/proc/self/cgroup") ?? "")
            return smallest(
                machine: machine.overflow || machine.partialValue == 0 ? 1 << 30 : machine.partialValue,
                limits: groups.memoryLimits { SmallFile.text(at: $0) } + [addressSpaceLimit()])
        }

        /// The limit of the address space, set by `setrlimit`; `nil` for no limit.
        private static func addressSpaceLimit() -> Int? {
            var limit = rlimit()
            let status = CLibrary.getAddressSpaceLimit(&limit)
            return status == 0 && limit.rlim_cur < UInt64(Int.max) ? Int(limit.rlim_cur) : nil
        }
    }
#endif
