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
                let before = Set(inherited())
                func added() -> Set<Int32> { Set(inherited()).subtracting(before) }
                let monitor = NetworkMonitor()
                _ = monitor.status
                // Another thread of the process may have one open for a moment; those of the monitor stay.
                for _ in 0..<200 where !added().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                #expect(added().isEmpty)
                withExtendedLifetime(monitor) {}
            }
        }
    }
#endif
