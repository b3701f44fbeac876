internal import ImageCore

/// One change to the index.
enum IndexChange: Hashable, Sendable {
    /// Stores an entry at a location, written at a time in seconds since 1970, and makes it the most recently used.
    case put(EntryName, PackLocation, writtenAt: Double)
    /// Changes the location of an entry and nothing else.
    case move(EntryName, PackLocation)
    case remove(EntryName)
    /// Makes an entry the most recently used.
    case touch(EntryName)
    case removeAll
    /// Removes a pack and its entries.
    case dropPack(UInt64)
    /// Sets the end of a pack, in bytes.
    case packEnd(UInt64, Int)
    /// Reserves the numbers of packs below this one.
    case packFloor(UInt64)
    /// Ends this journal; a new file continues it.
    case seal

    /// The pack that contains the bytes which the change refers to.
    var target: UInt64? {
        switch self {
        case .put(_, let location, _), .move(_, let location): location.pack
        default: nil
        }
    }

    /// Whether the writer may evict a pack on a full disk to write this change: yes for requested changes and those that free
    /// space, no for the order of use and for new packs.
    var mayEvictWhenDiskFull: Bool {
        switch self {
        case .put, .move, .remove, .removeAll, .dropPack, .packEnd: true
        case .touch, .packFloor, .seal: false
        }
    }
}

/// The journal: a file header, then changes to the index in the order in which they happened, 64 bytes each.
///
/// ```
/// header  0  "CALOJRN1"                     change   0  u8   kind
///         8  u32  schema version                     1  3 bytes, zero
///        12  u32  zero                               4  u32  length of the head
///        16  u128 secret of the entry names          8  u128 name
///        32  u128 number of the directory           24  u64  pack
///        48  u64  epoch                             32  u64  offset
///        56  u64  XXH64 of the bytes before         40  u64  length of the body
///                                                   48  f64  time
///                                                   56  u64  XXH64 of the bytes before, seeded
/// ```
///
/// The seed of a change's checksum is the epoch plus the position in the file, so that bytes of an older journal, or a change at
/// the wrong position, are rejected. Reading stops at the first change whose checksum does not match: a flush syncs everything
/// before it, so what follows was never durable. Every rewrite of the journal uses a new epoch.
struct JournalHeader: Hashable, Sendable {
    static let length = 64
    static let schemaVersion: UInt32 = 1

    var secret: EntryName
    var directory: EntryName
    var epoch: UInt64

    /// A header for a new directory.
    static func random() -> JournalHeader {
        func number() -> UInt64 { UInt64.random(in: .min ... .max) }
        return JournalHeader(
            secret: EntryName(low: number(), high: number()), directory: EntryName(low: number(), high: number()), epoch: number()
        )
    }

    var encoded: [UInt8] {
        var bytes = Array("CALOJRN1".utf8)
        bytes.append(littleEndian: Self.schemaVersion)
        bytes.append(littleEndian: UInt32(0))
        for word in [secret.low, secret.high, directory.low, directory.high, epoch] { bytes.append(littleEndian: word) }
        let checksum = unsafe bytes.withUnsafeBytes { unsafe Checksum.of($0) }
        bytes.append(littleEndian: checksum)
        return bytes
    }
}

extension JournalHeader {
    /// Decodes a header; `nil` for anything but a complete header of this schema.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.length else { return nil }
        let words = (0..<8).map { i in unsafe bytes.withUnsafeBytes { unsafe $0.littleEndian(at: 8 * i, as: UInt64.self) } }
        self.init(
            secret: EntryName(low: words[2], high: words[3]), directory: EntryName(low: words[4], high: words[5]), epoch: words[6]
        )
        guard encoded == Array(bytes.prefix(Self.length)) else { return nil }
    }
}

extension IndexChange {
    static let length = 64
    /// Larger positions are rejected, in bytes; sums of a million smaller ones do not overflow.
    private static let maximumPosition: UInt64 = 1 << 42

    /// Appends the encoded change for the position `offset` of the journal.
    func encode(to bytes: inout [UInt8], at offset: Int, epoch: UInt64) {
        var (kind, name, location, time) = (UInt8(0), EntryName(low: 0, high: 0), PackLocation(), 0.0)
        switch self {
        case .put(let entry, let place, let writtenAt): (kind, name, location, time) = (1, entry, place, writtenAt)
        case .move(let entry, let place): (kind, name, location) = (9, entry, place)
        case .remove(let entry): (kind, name) = (2, entry)
        case .touch(let entry): (kind, name) = (3, entry)
        case .removeAll: kind = 4
        case .dropPack(let pack): (kind, location.pack) = (5, pack)
        case .packFloor(let pack): (kind, location.pack) = (6, pack)
        case .seal: kind = 7
        case .packEnd(let pack, let end): (kind, location.pack, location.offset) = (8, pack, end)
        }
        let start = bytes.count
        bytes.append(littleEndian: UInt32(kind))
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: location.headLength))
        bytes.append(littleEndian: name.low)
        bytes.append(littleEndian: name.high)
        bytes.append(littleEndian: location.pack)
        bytes.append(littleEndian: UInt64(location.offset))
        bytes.append(littleEndian: UInt64(location.bodyLength))
        bytes.append(littleEndian: time.bitPattern)
        let checksum = unsafe bytes.withUnsafeBytes {
            unsafe Self.checksum(UnsafeRawBufferPointer(rebasing: $0[start...]), offset, epoch)
        }
        bytes.append(littleEndian: checksum)
    }

    /// Decodes the 64 bytes at the position `offset` of the journal; `nil` if the checksum or a value is wrong.
    static func decode(_ bytes: UnsafeRawBufferPointer, at offset: Int, epoch: UInt64) -> IndexChange? {
        let sum = unsafe checksum(UnsafeRawBufferPointer(rebasing: bytes[..<56]), offset, epoch)
        guard bytes.count == length, unsafe bytes.littleEndian(at: 56) == sum else { return nil }
        let name = unsafe EntryName(low: bytes.littleEndian(at: 8), high: bytes.littleEndian(at: 16))
        let pack = unsafe bytes.littleEndian(at: 24, as: UInt64.self)
        let headLength = unsafe Int(bytes.littleEndian(at: 4, as: UInt32.self))
        let offset = unsafe bytes.littleEndian(at: 32, as: UInt64.self)
        let bodyLength = unsafe bytes.littleEndian(at: 40, as: UInt64.self)
        guard headLength <= ResponseHeaderCoding.maximumSize, offset < maximumPosition, bodyLength < maximumPosition,
            pack < 2 * PackHeader.numberLimit
        else { return nil }
        let place = PackLocation(pack: pack, offset: Int(offset), headLength: headLength, bodyLength: Int(bodyLength))
        switch unsafe bytes.littleEndian(at: 0, as: UInt32.self) {
        case 1: return .put(name, place, writtenAt: Double(bitPattern: unsafe bytes.littleEndian(at: 48)))
        case 2: return .remove(name)
        case 3: return .touch(name)
        case 4: return .removeAll
        case 5: return .dropPack(pack)
        case 6: return .packFloor(pack)
        case 7: return .seal
        case 8: return .packEnd(pack, Int(offset))
        case 9: return .move(name, place)
        default: return nil
        }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ epoch: UInt64) -> UInt64 {
        unsafe Checksum.of(bytes, seed: epoch &+ UInt64(offset))
    }
}

extension PackLocation {
    fileprivate init() { self.init(pack: 0, offset: 0, headLength: 0, bodyLength: 0) }
}
