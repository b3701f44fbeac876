#if (os(Linux) || os(Android)) && !canImport(Network)
    internal import CCalotypeSockets
    internal import CalotypeSystem
    internal import ImageCore

    /// Reports the network's status whenever the kernel says that a link, an address or a route changed.
    final class NetworkWatcher: Sendable {
        private let stopper: Int32

        /// `nil` where the system gives no socket or thread; then the status stays what it was.
        init?(_ report: @escaping @Sendable (NetworkStatus) -> Void) {
            let changes = calotype_netlink_open()
            guard changes >= 0 else { return nil }
            let stopper = calotype_event_create()
            let end = stopper >= 0 ? calotype_event_duplicate(stopper) : -1
            guard end >= 0 else {
                close(changes)
                if stopper >= 0 { close(stopper) }
                return nil
            }
            self.stopper = stopper
            let isStarted = DetachedThread.start {
                // What changed before the socket was open is seen here, what changes after is announced.
                report(Self.current)
                while Self.waitForChange(changes, end) {
                    calotype_netlink_drain(changes)
                    report(Self.current)
                }
                close(changes)
                close(end)
            }
            guard isStarted else {
                close(changes)
                close(end)
                close(stopper)
                return nil
            }
        }

        deinit {
            calotype_event_signal(stopper)
            close(stopper)
        }

        /// `false` when the watcher ends.
        private static func waitForChange(_ changes: Int32, _ end: Int32) -> Bool {
            var polled = [
                pollfd(fd: changes, events: Int16(POLLIN), revents: 0), pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            while unsafe poll(&polled, 2, -1) < 0 {
                guard errno == EINTR else { return false }
            }
            return polled[1].revents == 0
        }

        /// The status of the network that the calling thread is in.
        static var current: NetworkStatus {
            status(
                ipv4: text(of: "/proc/thread-self/net/route"), ipv6: text(of: "/proc/thread-self/net/ipv6_route"),
                running: runningLinks)
        }

        /// The status by what the system tells; `nil` stands for what it does not tell, without `/proc` or in a sandbox. Nobody is
        /// kept from trying by what is not known.
        static func status(ipv4: String?, ipv6: String?, running: Set<String>?) -> NetworkStatus {
            guard ipv4 != nil || ipv6 != nil, let running else { return NetworkStatus() }
            let routes = RouteTable(ipv4: ipv4 ?? "", ipv6: ipv6 ?? "")
            return NetworkStatus(isReachable: !routes.links.isDisjoint(with: running))
        }

        private static func text(of path: String) -> String? {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var text: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 16 << 10)
            // A router has more routes than matter here.
            while text.count < 1 << 20 {
                let count = unsafe read(descriptor, &part, part.count)
                guard count > 0 else { break }
                text += part[..<count]
            }
            return String(decoding: text, as: UTF8.self)
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
