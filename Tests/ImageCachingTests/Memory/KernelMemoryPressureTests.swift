#if os(Linux)
    import CalotypeTesting
    import Dispatch
    import ImageCore
    import Testing

    @testable import ImageCaching

    import CalotypeSystem

    /// Real memory pressure: a process in a small control group reads a file that does not fit there, repeatedly, and
    /// waits for it each time. Needs a kernel that reports this, and permission to create a control group.
    @Suite(.timeLimit(.minutes(1))) struct KernelMemoryPressureTests {
        /// The directories in which a group can be created and limited: with version 2, or with the memory controller
        /// of version 1.
        private static let places = [
            (root: "/sys/fs/cgroup", limit: "memory.max"), (root: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes"),
        ]
        private static let groupBytes = 16 << 20
        private static let fileBytes = 64 << 20

        /// An empty group with a limit; `nil` if that is not permitted.
        private static func makeGroup() -> String? {
            for (root, limit) in places {
                let path = "\(root)/calotype-test-\(getpid())"
                guard unsafe mkdir(path, 0o755) == 0 else { continue }
                if put("\(groupBytes)", into: path + "/" + limit) { return path }
                _ = unsafe rmdir(path)
            }
            return nil
        }

        private static func put(_ text: String, into path: String) -> Bool {
            let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return false }
            defer { _ = close(file) }
            return unsafe write(file, text, text.utf8.count) == text.utf8.count
        }

        private static func forget(_ path: String) {
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
            _ = (fsync(file), posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), close(file))
        }

        /// Microseconds for which some task waited for memory since the machine started; `nil` if the kernel does not
        /// count them.
        private static var stalled: Int? {
            SmallFile.text(at: "/proc/pressure/memory")?.split(separator: "\n").first?.split(separator: "=").last.flatMap {
                Int($0)
            }
        }

        /// The watch requests 150 ms in a window of two seconds; seconds with this share of waiting contain such a
        /// window.
        private static let plenty = 0.3

        private static func share(since start: ContinuousClock.Instant, _ before: Int) -> Double {
            Double((stalled ?? 0) - before) / 1e6 / ((ContinuousClock.now - start) / .seconds(1))
        }

        private static let isPossible: Bool = {
            guard stalled != nil, let group = makeGroup() else { return false }
            return unsafe rmdir(group) == 0
        }()

        /// Reads a file repeatedly until it is removed, for a limited time.
        private static func keepReading(_ path: String) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
            defer { unsafe buffer.deallocate() }
            let (start, before) = (ContinuousClock.now, stalled ?? 0)
            for pass in 0... {
                let isLong = ContinuousClock.now - start > .seconds(6)
                if isLong || (pass >= 100 && share(since: start, before) < plenty) { return }
                let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { return }
                while unsafe read(file, buffer.baseAddress, buffer.count) > 0 {}
                _ = close(file)
            }
        }

        @Test(
            .timeLimit(.minutes(1)),
            .enabled(if: isPossible, "No control group can be limited here, or the kernel does not count stalls."))
        func memoryPressureFromTheKernelTrimsTheCache() async throws {
            let group = try #require(Self.makeGroup())
            defer { _ = unsafe rmdir(group) }
            let folder = try Folder()
            let file = folder.url.appending(path: "large")
            try Data(count: Self.fileBytes).write(to: file)
            // Pages that this process has cached would cost the other one nothing.
            Self.forget(file.path(percentEncoded: false))
            // The real watch, and a cache that it notifies.
            let heard = EventLog<MemoryPressure>()
            let center = MemoryPressureCenter { report in
                MemoryPressureWatch { pressure in
                    report(pressure)
                    heard.append(pressure)
                    try? FileManager.default.removeItem(at: file)
                }
            }
            let cache = MemoryCache(
                limits: .init(maximumBytes: 100 * testImageCost), respondsToPressure: true, now: { 0 }, center: center)
            for i in 0..<100 { cache.store(try testImage(), for: imageKey("\(i)")) }
            let before = Self.stalled ?? 0
            let path = file.path(percentEncoded: false)
            let start = ContinuousClock.now
            await withKnownIssue("The kernel may end who needs memory instead of having it wait.", isIntermittent: true) {
                await #expect(processExitsWith: .success) { [group = group as String, path = path as String] in
                    try #require(Self.put("\(getpid())", into: group + "/cgroup.procs"))
                    // Until the pressure is reported. Several processes read, so that one waits while another does not.
                    let readers = DispatchGroup()
                    for _ in 0..<3 { DispatchQueue(label: "reader").async(group: readers) { Self.keepReading(path) } }
                    await withCheckedContinuation { continuation in
                        readers.notify(queue: .global()) { continuation.resume() }
                    }
                }
            } matching: { issue in
                String(describing: issue).contains("SIGKILL")
            }
            // If the disk is so fast that no task waits, no pressure is reported.
            let share = Self.share(since: start, before)
            guard heard.count > 0 || share > Self.plenty else {
                return print("skipped: only \(share) of the time was spent waiting for memory")
            }
            // The thread of the watch must run first.
            await heard.wait(forCount: 1)
            #expect(cache.statistics.count < 100)
            #expect(cache.statistics.evictions.trimmed > 0)
        }
    }
#endif
