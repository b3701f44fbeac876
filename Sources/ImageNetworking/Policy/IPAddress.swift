package import CalotypeSystem

/// An IPv4 or IPv6 address, and whether it belongs to the public internet.
package struct IPAddress: Hashable, Sendable {
    /// Four or sixteen, in network order.
    let bytes: [UInt8]

    /// An address in text, such as `10.0.0.1` or `::1`; `nil` for anything else.
    package init?(_ text: String) {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            bytes = Self.bytes(of: four)
            return
        }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        bytes = Self.bytes(of: six)
    }

    /// The address in a socket's address; `nil` for another family.
    package init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            bytes = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe Self.bytes(of: $0.pointee.sin_addr)
            }
        case AF_INET6:
            bytes = unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe Self.bytes(of: $0.pointee.sin6_addr)
            }
        default: return nil
        }
    }

    private static func bytes<Address>(of address: Address) -> [UInt8] {
        unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
    }

    /// Whether the address belongs to the public internet: not in a block that IANA's special-purpose registries (RFC
    /// 6890 and its successors) reserve for private, local, test or protocol use, not multicast, not reserved, and not
    /// the one address of a cloud platform's own services that lies outside of these. An IPv6 address that embeds an
    /// IPv4 address is judged by that.
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.specialIPv4.contains { $0.contains(bytes) } }
        if let embedded = embeddedIPv4 { return embedded.isPublic }
        return Self.globalUnicast.contains(bytes) && !Self.specialIPv6.contains { $0.contains(bytes) }
    }

    private init(bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    private var embeddedIPv4: IPAddress? {
        // ::ffff:a.b.c.d, mapped (RFC 4291), and 64:ff9b::a.b.c.d, translated (RFC 6052).
        if Self.mapped.contains(bytes) || Self.translated.contains(bytes) { return IPAddress(bytes: bytes[12...]) }
        // 2002:aabb:ccdd::, 6to4 (RFC 3056).
        return Self.sixToFour.contains(bytes) ? IPAddress(bytes: bytes[2..<6]) : nil
    }

    private struct Block: Sendable {
        let prefix: [UInt8]
        let bits: Int

        func contains(_ bytes: [UInt8]) -> Bool {
            (0..<bits).allSatisfy { bit in (bytes[bit / 8] ^ prefix[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0 }
        }
    }

    private static func block(_ bits: Int, _ prefix: UInt8...) -> Block {
        Block(prefix: prefix + [UInt8](repeating: 0, count: max(0, 16 - prefix.count)), bits: bits)
    }

    private static let specialIPv4 = [
        block(8, 0),  // this network
        block(8, 10),  // private
        block(10, 100, 64),  // shared by carriers
        block(8, 127),  // loopback
        block(16, 169, 254),  // link-local, cloud metadata
        block(32, 168, 63, 129, 16),  // Azure's own services, though the registries do not reserve it
        block(12, 172, 16),  // private
        block(24, 192, 0, 0),  // protocol assignments
        block(24, 192, 0, 2),  // documentation
        block(24, 192, 31, 196),  // AS112
        block(24, 192, 52, 193),  // AMT
        block(24, 192, 88, 99),  // 6to4 relays
        block(16, 192, 168),  // private
        block(24, 192, 175, 48),  // AS112
        block(15, 198, 18),  // benchmarking
        block(24, 198, 51, 100),  // documentation
        block(24, 203, 0, 113),  // documentation
        block(4, 224),  // multicast
        block(4, 240),  // reserved, broadcast
    ]
    private static let globalUnicast = block(3, 0x20)
    private static let specialIPv6 = [
        block(23, 0x20, 0x01, 0x00),  // protocol assignments, Teredo
        block(32, 0x20, 0x01, 0x0D, 0xB8),  // documentation
        block(48, 0x26, 0x20, 0x00, 0x4F, 0x80, 0x00),  // AS112
        block(20, 0x3F, 0xFF, 0x00),  // documentation
    ]
    private static let mapped = block(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF)
    private static let translated = block(96, 0x00, 0x64, 0xFF, 0x9B)
    private static let sixToFour = block(16, 0x20, 0x02)
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}
