import CalotypeSystem
import CalotypeTesting
import CCalotypeHeapUsage
import HTTPTypes
import ImageCore
import NetworkTestKit
import Testing

@testable import ImageNetworking

@Suite struct RouteTables {
    private static let titles = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

    @Test func linksWithARouteAreFound() {
        let ipv4 = Self.titles + "eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
        let ipv6 =
            "20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000400 00000001 00000000 00000001    wlan0\n"
        #expect(RouteTable(ipv4: ipv4, ipv6: ipv6).links == ["eth0", "wlan0"])
    }

    @Test func loopbackLinkLocalAndRejectRoutesDoNotCount() {
        let ipv4 =
            Self.titles + "lo\t0000007F\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n"
            + "eth0\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0\n"
        let zeros = "00000000000000000000000000000000"
        let ipv6 =
            "fe800000000000000000000000000000 40 \(zeros) 00 \(zeros) 00000100 00000001 00000000 00000001     eth0\n"
            + "ff000000000000000000000000000000 08 \(zeros) 00 \(zeros) 00000100 00000001 00000000 00000001     eth0\n"
            + "\(zeros) 00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200       lo\n"
        #expect(RouteTable(ipv4: ipv4, ipv6: ipv6).links == [])
    }

    @Test func malformedTablesMeanNoNetwork() {
        #expect(RouteTable(ipv4: "", ipv6: "").links == [])
        #expect(RouteTable(ipv4: "a\nb c d\n\0\0", ipv6: "x y z\n").links == [])
    }
}

#if os(Linux)
    @Suite(.timeLimit(.minutes(1))) struct NetworkStatusOfTheSystem {
        private let route = "Iface\tDestination\tGateway \tFlags\neth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\n"

        @Test func aRouteOverARunningLinkIsANetwork() {
            #expect(NetworkWatcher.status(ipv4: route, ipv6: nil, running: ["eth0"]) == NetworkStatus())
            #expect(NetworkWatcher.status(ipv4: route, ipv6: "", running: ["lo"]) == NetworkStatus(isReachable: false))
            #expect(NetworkWatcher.status(ipv4: "", ipv6: nil, running: ["eth0"]) == NetworkStatus(isReachable: false))
        }

        /// Without `/proc`, or in a sandbox without access: loads should be attempted.
        @Test func withoutInformationTheNetworkCountsAsReachable() {
            #expect(NetworkWatcher.status(ipv4: nil, ipv6: nil, running: []) == NetworkStatus())
            #expect(NetworkWatcher.status(ipv4: "", ipv6: "", running: nil) == NetworkStatus())
        }

        @Test func readingTheStatusLeaksNoMemory() async {
            // A separate process, in which no other test allocates memory.
            await #expect(processExitsWith: .success) {
                func ask() { for _ in 0..<200 { _ = NetworkWatcher.current } }
                ask()
                let before = clt_heap_bytes()
                ask()
                // Half the size of 200 lists on a machine with only the loopback link.
                #expect(Int(clt_heap_bytes()) - Int(before) < 200 * 140)
            }
        }
    }
#endif

@Suite(.timeLimit(.minutes(1)))
struct NetworkMonitoring {
    @Test func aReaderGetsTheStatusAndThenEveryChange() async throws {
        let monitor = NetworkMonitor(status: NetworkStatus())
        var updates = monitor.updates.makeAsyncIterator()
        #expect(await updates.next() == NetworkStatus())
        monitor.report(NetworkStatus(isReachable: false))
        #expect(await updates.next() == NetworkStatus(isReachable: false))
        // A report without a change is not delivered.
        monitor.report(NetworkStatus(isReachable: false))
        monitor.setExpensive(true)
        #expect(await updates.next() == NetworkStatus(isReachable: false, isExpensive: true))
    }

    @Test func manualSettingsOverrideTheSystem() {
        let monitor = NetworkMonitor(status: NetworkStatus(isExpensive: true))
        monitor.setExpensive(false)
        monitor.setConstrained(true)
        #expect(monitor.status == NetworkStatus(isConstrained: true))
        monitor.setExpensive(nil)
        monitor.setConstrained(nil)
        #expect(monitor.status == NetworkStatus(isExpensive: true))
    }

    @Test func theSequenceEndsWithTheMonitor() async {
        var monitor: NetworkMonitor? = NetworkMonitor(status: NetworkStatus())
        var updates = monitor?.updates.makeAsyncIterator()
        _ = await updates?.next()
        monitor = nil
        #expect(await updates?.next() == nil)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct NetworkAwareness {
    private let loader = ScriptedLoader { _ in .body(Data([1])) }

    private func request(_ url: String = "https://example.org/a") throws -> DataRequest {
        DataRequest(url: try #require(URL(string: url)))
    }

    @Test func offlineLoadsFailAtOnceByDefault() async throws {
        let aware = NetworkAwareLoader(loader, monitor: NetworkMonitor(status: NetworkStatus(isReachable: false)))
        let error = try await imageError { _ = try await aware.load(try request()) }
        #expect(error.code == .offline)
        #expect(loader.requests.isEmpty)
    }

    @Test func thisMachineNeedsNoNetwork() async throws {
        let aware = NetworkAwareLoader(loader, monitor: NetworkMonitor(status: NetworkStatus(isReachable: false)))
        for url in ["http://127.0.0.1:80/a", "http://localhost/a", "http://[::1]/a"] {
            _ = try await aware.load(try request(url))
        }
        #expect(loader.requests.count == 3)
        // A name that only starts like an address may be on the network.
        _ = try? await aware.load(try request("http://127.0.0.1.example.org/a"))
        #expect(loader.requests.count == 3)
    }

    @Test func aWaitingLoadContinuesWhenTheNetworkIsBack() async throws {
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let clock = ManualClock()
        let aware = NetworkAwareLoader(loader, monitor: monitor, whenOffline: .wait, clock: clock)
        let request = try request()
        let task = Task { try await aware.load(request).head.status.code }
        await clock.waitForSleeps(1)
        #expect(loader.requests.isEmpty)
        monitor.report(NetworkStatus())
        #expect(try await task.value == 200)
    }

    @Test func theWaitEndsWithTheTimeLimit() async throws {
        let clock = ManualClock()
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let aware = NetworkAwareLoader(loader, monitor: monitor, whenOffline: .wait, clock: clock)
        let request = try request()
        let task = Task { try await aware.load(request) }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(30))
        #expect(try await imageError { _ = try await task.value }.code == .offline)
    }

    @Test func theWaitForTheNetworkEndsAtTheDeadline() async throws {
        let clock = ManualClock()
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let aware = NetworkAwareLoader(loader, monitor: monitor, whenOffline: .wait, clock: clock)
        var limited = try request()
        limited.deadline = Deadline(after: .seconds(45), clock: clock)
        let request = limited
        let task = Task { try await aware.load(request) }
        await clock.waitForSleeps(1)
        #expect(clock.requestedSleeps == [.seconds(45)])
        clock.advance(by: .seconds(45))
        let error = try await imageError { _ = try await task.value }
        #expect(error.code == .deadlineExceeded)
        #expect(error.causes == ["https://example.org/a was not loaded: this machine has no network."])
        // Another load does not wait.
        #expect(try await imageError { _ = try await aware.load(request) }.code == .deadlineExceeded)
        #expect(clock.requestedSleeps.count == 1 && loader.requests.isEmpty)
    }

    @Test func theAttemptAfterTheWaitHasItsWholeTimeout() async throws {
        let clock = ManualClock()
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let aware = NetworkAwareLoader(loader, monitor: monitor, whenOffline: .wait, clock: clock)
        var limited = try request()
        limited.deadline = Deadline(after: .seconds(100), clock: clock)
        let request = limited
        let task = Task { try await aware.load(request).head.status.code }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(40))
        monitor.report(NetworkStatus())
        #expect(try await task.value == 200)
        #expect(loader.requests[0].timeout == .seconds(30))
        #expect(loader.requests[0].deadline?.remaining == .seconds(60))
    }

    /// The process would crash if it slept until an instant that the clock cannot represent.
    @Test func aHugeTimeLimitDoesNotOverflow() async throws {
        let clock = ManualClock()
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let aware = NetworkAwareLoader(loader, monitor: monitor, whenOffline: .wait, clock: clock)
        var patient = try request()
        patient.timeout = .seconds(Int64.max)
        let request = patient
        let task = Task { try await aware.load(request).head.status.code }
        await clock.waitForSleeps(1)
        #expect(clock.requestedSleeps == [.seconds(1_000_000_000)])
        monitor.report(NetworkStatus())
        #expect(try await task.value == 200)
    }

    @Test func aWaitThatIsCancelledEnds() async throws {
        let clock = ManualClock()
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let aware = NetworkAwareLoader(loader, monitor: monitor, whenOffline: .wait, clock: clock)
        let request = try request()
        let task = Task { try await aware.load(request) }
        await clock.waitForSleeps(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aStaleEntryOfTheCacheIsServed() async throws {
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let aware = NetworkAwareLoader(loader, monitor: monitor, whenOffline: .serveStale)
        _ = try await aware.load(try request())
        #expect(loader.requests[0].headerFields[.cacheControl] == "only-if-cached, max-stale")
        monitor.report(NetworkStatus())
        _ = try await aware.load(try request())
        #expect(loader.requests[1].headerFields[.cacheControl] == nil)
    }

    /// The system may not know every way to the network.
    @Test func aCacheMissIsTriedAndFailsAsOfflineAndNotWithThe504() async throws {
        let isConnected = Lock(false)
        let empty = ScriptedLoader { request in
            if request.cachePolicy.isOnlyIfCached { return .response(HTTPResponse(status: .gatewayTimeout), chunks: []) }
            guard isConnected.withLock({ $0 }) else {
                return .failure(ImageError(.connectionFailed, message: "No route to the host."))
            }
            return .response(HTTPResponse(status: .gatewayTimeout), chunks: [])
        }
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let aware = NetworkAwareLoader(empty, monitor: monitor, whenOffline: .serveStale)
        let request = try request()
        let error = try await imageError { _ = try await aware.load(request) }
        #expect(error.code == .offline && error.causes == ["No route to the host."])
        // A 504 from the network is a response of the server.
        isConnected.withLock { $0 = true }
        for isReachable in [false, true] {
            monitor.report(NetworkStatus(isReachable: isReachable))
            #expect(try await aware.load(request).head.status == .gatewayTimeout)
        }
    }

    @Test func withoutACacheInsideTheRequestIsNotRestrictedToOne() async throws {
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let aware = NetworkAwareLoader(loader, monitor: monitor, whenOffline: .serveStale, hasCache: false)
        _ = try await aware.load(try request())
        #expect(loader.requests.map(\.headerFields[.cacheControl]) == [nil])
        monitor.report(NetworkStatus(isExpensive: true))
        var sparing = try request()
        sparing.allowsExpensiveNetwork = false
        let free = sparing
        #expect(try await imageError { _ = try await aware.load(free) }.code == .expensiveNetwork)
        #expect(loader.requests.count == 1)
    }

    @Test func aMonitorWatchesTheSystemFromItsFirstUseOn() {
        let monitor = NetworkMonitor()
        monitor.setExpensive(true)
        _ = monitor.passiveUpdates
        #expect(!monitor.isWatching)
        #expect(monitor.status.isExpensive && monitor.isWatching)
    }

    @Test func aLoadThatMustBeFreeIsNotSentOverAnExpensiveNetwork() async throws {
        let monitor = NetworkMonitor(status: NetworkStatus(isExpensive: true))
        let aware = NetworkAwareLoader(loader, monitor: monitor)
        var sparing = try request()
        sparing.allowsExpensiveNetwork = false
        let request = sparing
        #expect(try await imageError { _ = try await aware.load(request) }.code == .expensiveNetwork)
        _ = try await aware.load(try self.request())
        #expect(loader.requests.count == 1)
    }
}

#if os(Linux)

    /// A separate network namespace, whose links a test can create and remove.
    private final class Namespace: Sendable {
        private let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// Runs a command of ip(8) inside; returns whether it succeeded.
        func ip(_ command: String) async -> Bool {
            await withCheckedContinuation { continuation in
                let isStarted = DetachedThread.start { [self] in
                    guard Self.enter(descriptor) else { return continuation.resume(returning: false) }
                    let status = unsafe system("PATH=/usr/sbin:/sbin:$PATH ip \(command)")
                    continuation.resume(returning: status == 0)
                }
                if !isStarted { continuation.resume(returning: false) }
            }
        }

        /// Creates a namespace, and a monitor whose thread is inside.
        static func make() async -> (Namespace, NetworkMonitor)? {
            await withCheckedContinuation { continuation in
                let isStarted = DetachedThread.start {
                    guard leaveForNew() else { return continuation.resume(returning: nil) }
                    let descriptor = unsafe open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
                    guard descriptor >= 0 else { return continuation.resume(returning: nil) }
                    let monitor = NetworkMonitor()
                    // Begins to watch, on a thread that inherits the namespace.
                    _ = monitor.status
                    continuation.resume(returning: (Namespace(descriptor), monitor))
                }
                if !isStarted { continuation.resume(returning: nil) }
            }
        }

        // Swift's module of the C library does not export unshare(2) and setns(2).

        private static let networkNamespace: Int32 = 0x4000_0000

        private static func leaveForNew() -> Bool {
            guard let function = unsafe dlsym(nil, "unshare") else { return false }
            let unshare = unsafe unsafeBitCast(function, to: (@convention(c) (Int32) -> Int32).self)
            return unshare(networkNamespace) == 0
        }

        private static func enter(_ descriptor: Int32) -> Bool {
            guard let function = unsafe dlsym(nil, "setns") else { return false }
            let setns = unsafe unsafeBitCast(function, to: (@convention(c) (Int32, Int32) -> Int32).self)
            return setns(descriptor, networkNamespace) == 0
        }
    }

    @Suite(.timeLimit(.minutes(1)))
    struct NetworkNamespaces {
        private static let isPossible: Bool = {
            let places: [String] = ["/usr/sbin/ip", "/sbin/ip"]
            return getuid() == 0 && places.contains { place in unsafe access(place, X_OK) == 0 }
        }()

        /// Adds a pair of virtual links, one of which the monitor watches; `nil` if the system does not support this.
        private func cabled() async -> (Namespace, NetworkMonitor)? {
            guard let (namespace, monitor) = await Namespace.make() else {
                print("This system gives no network namespace; the test is left out.")
                return nil
            }
            guard await namespace.ip("link add test0 type veth peer name test1") else {
                print("This kernel has no virtual links; the test is left out.")
                return nil
            }
            return (namespace, monitor)
        }

        /// More changes at once than the socket holds: the kernel drops some of the messages, and the last state must
        /// count.
        @Test(.enabled(if: isPossible, "Needs root and the command ip."))
        func changesThatOverflowTheSocketAreNotLost() async throws {
            guard let (namespace, monitor) = await cabled() else { return }
            #expect(await namespace.ip("link set test1 up"))
            #expect(await namespace.ip("address add 192.0.2.1/24 dev test0"))
            #expect(await namespace.ip("link set test0 up"))
            for await status in monitor.updates where status.isReachable { break }
            let lines = ["add", "del"].flatMap { change in
                (0..<4000).map { "route \(change) 198.18.\($0 / 250).\($0 % 250)/32 dev test0\n" }
            }
            let directory = try TemporaryDirectory()
            let batch = try directory.file("batch", Array(lines.joined().utf8))
            #expect(await namespace.ip("-batch \(batch.path)"))
            #expect(await namespace.ip("link set test0 down"))
            for await status in monitor.updates where !status.isReachable { break }
        }

        @Test(.enabled(if: isPossible, "Needs root and the command ip."))
        func changesOfLinksAndRoutesAreReported() async throws {
            guard let (namespace, monitor) = await cabled() else { return }
            var updates = monitor.updates.makeAsyncIterator()
            #expect(await updates.next() == NetworkStatus(isReachable: false))
            #expect(await namespace.ip("link set test1 up"))
            #expect(await namespace.ip("address add 192.0.2.1/24 dev test0"))
            #expect(await namespace.ip("link set test0 up"))
            #expect(await updates.next() == NetworkStatus(isReachable: true))
            // The link is set down, the peer is set down, the route is removed: each time the network goes away and
            // comes back.
            for (away, back) in [
                ("link set test0 down", "link set test0 up"), ("link set test1 down", "link set test1 up"),
                ("route del 192.0.2.0/24 dev test0", "route add 192.0.2.0/24 dev test0"),
            ] {
                #expect(await namespace.ip(away))
                #expect(await updates.next() == NetworkStatus(isReachable: false))
                #expect(await namespace.ip(back))
                #expect(await updates.next() == NetworkStatus(isReachable: true))
            }
            #expect(await namespace.ip("link del test0"))
            #expect(await updates.next() == NetworkStatus(isReachable: false))
        }
    }
#endif
