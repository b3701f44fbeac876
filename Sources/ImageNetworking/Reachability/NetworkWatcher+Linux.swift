#if (os(Linux) || os(Android)) && !canImport(Network)
    internal import CCalotypeSockets
    internal import CalotypeSystem
    internal import ImageCore

    /// Reports the network's status whenever the kernel says that a link, an address or a route changed.
    final class NetworkWatcher: Sendable {
        /// The end of a pipe; closing it ends the thread.
        private let stop: Descriptor

        /// `nil` where the system gives no socket or thread; then the status does not change.
        init?(_ report: @escaping @Sendable (NetworkStatus) -> Void) {
            var ends: [Int32] = [-1, -1]
            guard let changes = Descriptor(clt_netlink_open()), unsafe pipe(&ends) == 0,
                let stopped = Descriptor(ends[0]), let stop = Descriptor(ends[1])
            else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            self.stop = stop
            let isStarted = DetachedThread.start {
                // This report includes changes before the socket was open; the kernel announces later ones.
                report(Self.current)
                while Self.waitForChange(changes, stopped) {
                    clt_netlink_drain(changes.number)
                    report(Self.current)
                }
            }
            guard isStarted else { return nil }
        }

        /// An open descriptor; closed with its last reference.
        private final class Descriptor: Sendable {
            let number: Int32

            init?(_ number: Int32) {
                guard number >= 0 else { return nil }
                self.number = number
            }

            deinit { close(number) }
        }

        /// `false` when the watcher ends.
        private static func waitForChange(_ changes: Descriptor, _ stopped: Descriptor) -> Bool {
            var polled = [changes, stopped].map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
            while unsafe poll(&polled, 2, -1) < 0 {
                guard errno == EINTR else { return false }
            }
            return polled[1].revents == 0
        }

        /// The status of the network that the calling thread is in.
        static var current: NetworkStatus {
            status(
                ipv4: SmallFile.text(at: "/proc/thread-self/net/route"),
                ipv6: SmallFile.text(at: "/proc/thread-self/net/ipv6_route"), running: runningLinks)
        }

        /// The status by the system's lists; `nil` for a list that cannot be read, without `/proc` or in a sandbox. A
        /// network is assumed where the lists do not say.
        static func status(ipv4: String?, ipv6: String?, running: Set<String>?) -> NetworkStatus {
            guard ipv4 != nil || ipv6 != nil, let running else { return NetworkStatus() }
            let routes = RouteTable(ipv4: ipv4 ?? "", ipv6: ipv6 ?? "")
            return NetworkStatus(isReachable: !routes.links.isDisjoint(with: running))
        }

        /// Links that are up and have a carrier.
        private static var runningLinks: Set<String>? {
            var list: UnsafeMutablePointer<ifaddrs>?
            guard unsafe getifaddrs(&list) == 0 else { return nil }
            defer { unsafe freeifaddrs(list) }
            var links: Set<String> = []
            let isRunning = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
            var next = unsafe list
            while let link = unsafe next?.pointee {
                if unsafe link.ifa_flags & isRunning == isRunning { unsafe links.insert(String(cString: link.ifa_name)) }
                unsafe next = unsafe link.ifa_next
            }
            return links
        }
    }
#endif
