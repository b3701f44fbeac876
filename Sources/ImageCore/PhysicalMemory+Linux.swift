#if os(Linux) || os(Android)
    internal import CalotypeSystem

    enum PhysicalMemory {
        /// The memory that this process may use, in bytes: the memory of the machine, or the limit of its control group if that
        /// is less.
        static var byteCount: Int? {
            let pages = sysconf(Int32(_SC_PHYS_PAGES))
            let machine = pages > 0 ? pages * sysconf(Int32(_SC_PAGESIZE)) : nil
            let groups = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].compactMap(number)
            return ([machine].compactMap { $0 } + groups).min()
        }

        /// The number at the start of a file; `nil` if there is none, as in `max`.
        private static func number(in path: String) -> Int? {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var text = [UInt8](repeating: 0, count: 32)
            let count = unsafe read(descriptor, &text, text.count)
            guard count > 0 else { return nil }
            return Int(String(decoding: text[..<count].prefix { 0x30...0x39 ~= $0 }, as: UTF8.self))
        }
    }
#endif
