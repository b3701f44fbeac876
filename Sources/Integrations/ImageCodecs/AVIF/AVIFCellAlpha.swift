internal import ImageCore
internal import ImageDecoding

/// Detects grids whose cells have alpha items while the grid has none. libavif before 1.0 ignores such alpha, and later
/// versions ignore it if one cell has none.
enum AVIFCellAlpha {
    /// Whether an alpha item belongs to a cell of the grid that the file shows.
    static func isPresent(in file: Data) -> Bool {
        // A sequence shows its tracks, and not its items.
        if ByteReader(file).matches("avis", at: 8), ISOBoxes.first("moov", in: file) != nil { return false }
        guard let meta = ISOBoxes.first("meta", in: file)?.dropFirst(4), declaresAlpha(meta),
            var primary = ISOBoxes.first("pitm", in: meta).map(Fields.init), let grid = primary.item(),
            let list = ISOBoxes.first("iref", in: meta)
        else { return false }
        let cells = Set(findReferences("dimg", in: list).filter { $0.source == grid }.flatMap(\.targets))
        return findReferences("auxl", in: list).contains { !cells.isDisjoint(with: $0.targets) }
    }

    /// Returns the references of a type between items (ISO/IEC 14496-12, 8.11.12).
    private static func findReferences(_ type: String, in list: Data) -> [(source: Int, targets: [Int])] {
        let itemBytes = Fields(list).itemBytes
        return ISOBoxes(list.dropFirst(4)).filter { $0.type == type }.compactMap { box in
            var fields = Fields(box.content, itemBytes: itemBytes)
            guard let source = fields.item(), let count = fields.number(2) else { return nil }
            return (source, (0..<count).compactMap { _ in fields.item() })
        }
    }

    /// Whether a property (`auxC`) declares an item as alpha (HEIF, 6.5.8). A grid has auxiliary items of one kind.
    private static func declaresAlpha(_ meta: Data) -> Bool {
        guard let properties = ISOBoxes.first("iprp", in: meta), let all = ISOBoxes.first("ipco", in: properties) else {
            return false
        }
        return ISOBoxes(all).contains { $0.type == "auxC" && AVIFAuxiliaryType.isAlpha($0.content) }
    }
}

/// Reads the numbers of a box with a version. Item numbers have 4 bytes from version 1 on.
private struct Fields {
    let itemBytes: Int
    private let reader: ByteReader
    private var offset: Int

    init(_ box: Data) {
        (reader, offset) = (ByteReader(box), 4)
        itemBytes = reader.byte(at: 0) == 0 ? 2 : 4
    }

    /// Creates a reader of a box without a version.
    init(_ box: Data, itemBytes: Int) {
        (reader, offset, self.itemBytes) = (ByteReader(box), 0, itemBytes)
    }

    mutating func item() -> Int? { number(itemBytes) }

    mutating func number(_ bytes: Int) -> Int? {
        guard let found = reader.bytes(at: offset, count: bytes) else { return nil }
        offset += bytes
        return found.reduce(0) { $0 << 8 | Int($1) }
    }
}
