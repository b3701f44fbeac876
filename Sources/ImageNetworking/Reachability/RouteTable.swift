/// The kernel's lists of routes (proc(5), `/proc/net/route` and `/proc/net/ipv6_route`).
struct RouteTable: Hashable, Sendable {
    private static let isUp = 0x1
    private static let isRejecting = 0x200

    /// The links that have a route to somewhere beyond them, up and not rejecting.
    private(set) var links: Set<String> = []

    init(ipv4: String, ipv6: String) {
        // Interface, destination, gateway, flags, …; the first line names the columns.
        for line in ipv4.split(separator: "\n").dropFirst() {
            let columns = line.split { $0 == "\t" || $0 == " " }
            guard columns.count >= 8, let flags = Int(columns[3], radix: 16), Self.leadsOn(flags) else { continue }
            links.insert(String(columns[0]))
        }
        // Destination, its length, source, its length, next hop, metric, two counts, flags, interface.
        for line in ipv6.split(separator: "\n") {
            let columns = line.split { $0 == "\t" || $0 == " " }
            guard columns.count >= 10, let flags = Int(columns[8], radix: 16), Self.leadsOn(flags) else { continue }
            // Every link has a local prefix and a multicast one, with or without other machines on it.
            guard !columns[0].hasPrefix("fe80"), !columns[0].hasPrefix("ff") else { continue }
            links.insert(String(columns[9]))
        }
        links.remove("lo")
    }

    private static func leadsOn(_ flags: Int) -> Bool { flags & isUp != 0 && flags & isRejecting == 0 }
}
