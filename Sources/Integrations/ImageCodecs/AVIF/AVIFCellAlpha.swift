internal import ImageCore
internal import ImageDecoding

/// Detects grids whose cells have alpha items while the grid has none. libavif before 1.0 ignores such alpha, and later
/// versions ignore it if one cell has none.
enum AVIFCellAlpha {
    /// Whether an alpha item belongs to a cell of the grid that the file shows.
    static func isPresent(in file: Data) -> Bool {
        // A sequence shows its tracks, and not its items.
        if ByteReader(file).matches("avis", at: 8), ISOBoxes.first("moov", in: file) != nil { return false }
        guard let meta = ISOBoxes.first("meta", in: file)?.dropFirst(4), let properties = ISOBoxes.first("iprp", in: meta),
            var primary = ISOBoxes.first("pitm", in: meta).map(Fields.init), let grid = primary.item(),
            let list = ISOBoxes.first("iref", in: meta)
        else { return false }
        let cells = Set(findReferences("dimg", in: list).filter { $0.source == grid }.flatMap(\.targets))
        let auxiliary = findReferences("auxl", in: list).filter { !cells.isDisjoint(with: $0.targets) }
        return !auxiliary.isEmpty && !findAlphaItems(properties).isDisjoint(with: auxiliary.map(\.source))
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

    /// Returns the items that a property (`auxC`) declares as alpha (HEIF, 6.5.8; ISO/IEC 14496-12, 8.11.14).
    private static func findAlphaItems(_ properties: Data) -> Set<Int> {
        guard let all = ISOBoxes.first("ipco", in: properties) else { return [] }
        var alpha: Set<Int> = []
        for (index, box) in ISOBoxes(all).enumerated() where box.type == "auxC" && AVIFAuxiliaryType.isAlpha(box.content) {
            alpha.insert(index + 1)
        }
        var items: Set<Int> = []
        for box in ISOBoxes(properties) where box.type == "ipma" {
            var fields = Fields(box.content)
            let bytes = (box.content.dropFirst(3).first ?? 0) & 1 == 0 ? 1 : 2
            // The highest bit marks the property as essential.
            let mask = bytes == 1 ? 0x7F : 0x7FFF
            _ = fields.number(4)
            while let item = fields.item(), let count = fields.number(1) {
                for _ in 0..<count where fields.number(bytes).map({ alpha.contains($0 & mask) }) == true { items.insert(item) }
            }
        }
        return items
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
