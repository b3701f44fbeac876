internal import ImageCore

/// One change to the index.
enum IndexChange: Hashable, Sendable {
    /// The entry lies there, written at a time in seconds since 1970. The most recently used from now on.
    case put(EntryName, PackLocation, writtenAt: Double)
    /// The entry lies elsewhere now, and is otherwise what it was.
    case move(EntryName, PackLocation)
    case remove(EntryName)
    /// Becomes the most recently used.
    case touch(EntryName)
    case removeAll
    /// The pack's file is gone.
    case dropPack(UInt64)
    /// The pack's file reaches so far, in bytes.
    case packEnd(UInt64, Int)
    /// Numbers of packs below this one were given out.
    case packFloor(UInt64)
    /// The journal goes on in a new file.
    case seal

    /// The pack that holds bytes which the change makes known.
    var target: UInt64? {
        switch self {
        case .put(_, let location, _), .move(_, let location): location.pack
        default: nil
        }
    }

    /// Whether a pack of entries is given up on a full disk for the change to be kept: what was asked for, and what gives
    /// room back; but not the order of use, nor the beginning of another pack.
    var isWorthAPack: Bool {
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
/// The seed of a change's checksum is the epoch and its place in the file, so that neither an older journal's bytes nor
/// a change at the wrong place counts. Reading stops at the first change that does not check: what follows was never
/// made durable, since a flush syncs everything before it. The epoch is new with every rewrite of the journal.
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

    init(secret: EntryName, directory: EntryName, epoch: UInt64) {
        self.secret = secret
        self.directory = directory
        self.epoch = epoch
    }

    /// `nil` for anything but a whole header of this schema.
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
    /// A position beyond this, in bytes, is nonsense; sums of a million such do not overflow.
    private static let largest: UInt64 = 1 << 42

    /// Appends the change as it stands at byte `offset` of the journal.
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

    /// The change in the 64 bytes that stand at byte `offset` of the journal; `nil` where they do not check.
    static func decode(_ bytes: UnsafeRawBufferPointer, at offset: Int, epoch: UInt64) -> IndexChange? {
        let sum = unsafe checksum(UnsafeRawBufferPointer(rebasing: bytes[..<56]), offset, epoch)
        guard bytes.count == length, unsafe bytes.littleEndian(at: 56) == sum else { return nil }
        let name = unsafe EntryName(low: bytes.littleEndian(at: 8), high: bytes.littleEndian(at: 16))
        let pack = unsafe bytes.littleEndian(at: 24, as: UInt64.self)
        let headLength = unsafe Int(bytes.littleEndian(at: 4, as: UInt32.self))
        let offset = unsafe bytes.littleEndian(at: 32, as: UInt64.self)
        let bodyLength = unsafe bytes.littleEndian(at: 40, as: UInt64.self)
        guard headLength <= StoredResponseHead.maximumSize, offset < largest, bodyLength < largest,
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
