#if os(Linux)
    import CalotypeSystem
    import Foundation
    import ImageCore
    import ImageNetworkingCurl
    import NetworkTestKit
    import OtherSystem
    import Testing

    private let names = OtherSystem(mark: "CALOTYPE_TEST_NAMES", replacing: "/etc/resolv.conf", by: "resolv.conf")

    /// A DNS server that receives queries and sends no responses.
    private final class SilentNameServer: Sendable {
        static let address = "127.0.0.99"

        private let descriptor: Int32
        private let asked = Lock<Set<String>>([])

        init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(53).bigEndian
            unsafe inet_pton(AF_INET, Self.address, &address.sin_addr)
            let isBound = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            try #require(isBound)
        }

        deinit { close(descriptor) }

        /// The first labels of the queried names so far.
        var labels: Set<String> {
            var question = [UInt8](repeating: 0, count: 512)
            while true {
                let count = unsafe recv(descriptor, &question, question.count, Int32(MSG_DONTWAIT))
                // A header of twelve bytes, then the length of the label (RFC 1035, section 4.1).
                guard count > 13 else { return asked.withLock { $0 } }
                let label = String(decoding: question[13..<count].prefix(Int(question[12])), as: UTF8.self)
                asked.withLock { _ = $0.insert(label) }
            }
        }

        func isAsked(for count: Int) async throws {
            while labels.count < count {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Suite(.timeLimit(.minutes(1)))
    struct LookupStorms {
        @Test(.enabled(if: names.isPossible, "Needs root, and the commands unshare and mount."))
        func lookupsOfCancelledLoadsAreLimited() throws {
            let (isGood, text) = try names.run(suite: "LookupsWithoutAnswer") { file in
                let text = "nameserver \(SilentNameServer.address)\noptions timeout:30\n"
                try Data(text.utf8).write(to: file)
            }
            #expect(text.contains("Test run with 1 test "), "\(text)")
            #expect(isGood, "\(text)")
        }
    }

    /// Runs in the process that the suite above starts.
    @Suite(.enabled(if: names.place != nil, "Needs the process with another name server."), .timeLimit(.minutes(1)))
    struct LookupsWithoutAnswer {
        /// Each lookup holds a system thread until its timeout, even if its load is cancelled.
        @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
        @Test func lookupsOfCancelledLoadsAreLimitedByTheConnections() async throws {
            let server = try SilentNameServer()
            var limits = CurlLoader.Limits()
            limits.connections = 4
            let loader = CurlLoader(limits: limits)
            func begin(_ round: Int) throws -> [Task<DataResponse, any Error>] {
                try (0..<4).map { number in
                    let url = try #require(URL(string: "http://round\(round)-\(number).test/"))
                    // An immediate task has posted its request when it returns to its creator.
                    return Task.immediate { try await loader.load(DataRequest(url: url)) }
                }
            }
            for round in 0..<2 {
                let tasks = try begin(round)
                try await server.isAsked(for: 4 * (round + 1))
                for task in tasks { task.cancel() }
                for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            }
            // Four lookups continue without a slot, four occupy the slots of the next loads.
            let waiting = try begin(2)
            // A query of another loader, whose thread starts later, shows that theirs would have arrived.
            let url = try #require(URL(string: "http://last.test/"))
            let last = Task { try await CurlLoader().load(DataRequest(url: url)) }
            try await server.isAsked(for: 9)
            #expect(server.labels.count == 9)
            #expect(server.labels.contains("last"))
            for task in waiting + [last] { task.cancel() }
            await loader.close()
        }
    }
#endif
