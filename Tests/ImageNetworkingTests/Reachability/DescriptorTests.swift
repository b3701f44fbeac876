#if os(Linux)
    import CalotypeSystem
    import ImageNetworking
    import Testing

    @Suite(.timeLimit(.minutes(1))) struct DescriptorsOfAMonitor {
        @Test func theDescriptorsOfAMonitorAreNotInherited() async {
            await #expect(processExitsWith: .success) {
                func inherited() -> [Int32] {
                    (0..<1024).filter { descriptor in
                        let flags = fcntl(descriptor, F_GETFD)
                        return flags >= 0 && flags & FD_CLOEXEC == 0
                    }
                }
                let before = inherited()
                let monitor = NetworkMonitor()
                _ = monitor.status
                // Many times, because the thread of the monitor opens files for a moment.
                for _ in 0..<20 { #expect(inherited() == before) }
                withExtendedLifetime(monitor) {}
            }
        }
    }
#endif
