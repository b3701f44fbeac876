import ImageCore
import TestBitmaps
import Testing

@testable import ImageCodecs

/// Grids of two cells of 64 × 64 pixels and one colour each. Alpha is a second grid, one item for the whole grid, or an
/// item for each cell.
@Suite struct AVIFGridTests {
    private let whole = FileBoxes.seed("avif/grid.avif")
    private let perCell = FileBoxes.seed("avif/grid-cell-alpha.avif")

    static let boxes: [PixelSize?] = [nil, PixelSize(width: 32, height: 16)]

    private func image(_ file: Data, to box: PixelSize?) throws -> Bitmap {
        try AVIFDecoder().decode(file, options: .with { $0.targetSize = box }).bitmap
    }

    /// Returns a file with another text of the same length, so that its boxes keep their positions.
    private func file(_ file: Data, _ text: String, as other: String) throws -> Data {
        let changed = Data(file.split(separator: Data(text.utf8)).joined(separator: Data(other.utf8)))
        try #require(changed.count == file.count && changed != file)
        return changed
    }

    @Test(arguments: boxes)
    func alphaOfEachCellIsShownOrReportedAsUnsupported(box: PixelSize?) throws {
        #expect(try AVIFDecoder().info(of: perCell, limits: DecodingLimits()).hasAlpha)
        do {
            #expect(try image(perCell, to: box).all == image(whole, to: box).all)
        } catch let error as ImageError {
            #expect(error.code == .unsupportedFeature, "\(error)")
            #expect(error.message.contains("grid"))
        }
    }

    @Test(arguments: boxes)
    func oneAlphaItemForAllCellsIsTransparency(box: PixelSize?) throws {
        let expected = try image(whole, to: box)
        let found = try image(FileBoxes.seed("avif/grid-single-alpha.avif"), to: box)
        #expect(found.alpha == expected.alpha && expected.alpha != .opaque)
        #expect(found.all == expected.all)
        #expect(found[0, 0][3] == 64 && found[found.size.width - 1, 0][3] == 192)
    }

    @Test(arguments: [("auxl", "thmb"), ("auxiliary:alpha", "auxiliary:depth")])
    func otherItemsOfACellAreNotTransparency(name: String, other: String) throws {
        let changed = try file(perCell, name, as: other)
        #expect(try AVIFDecoder().info(of: changed, limits: DecodingLimits()).hasAlpha == false)
        #expect(try image(changed, to: nil).alpha == .opaque)
        #expect(try image(file(whole, name, as: other), to: nil).alpha == .opaque)
    }

    /// libavif would scale the cell to the size that it declares, which is gigabytes.
    @Test
    func aCellThatDeclaresFarMorePixelsThanTheImageIsRefused() throws {
        var file = whole
        let declared = Data("ispe".utf8) + [0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 64]
        let place = try #require(file.firstRange(of: declared))
        file[place.upperBound - 3] = 0x2F
        let error = #expect(throws: ImageError.self) { try image(file, to: nil) }
        #expect(error.map { [.corrupt, .tooLarge].contains($0.code) } == true)
    }

    @Test
    func alphaOfEachCellIsDetectedInPieces() throws {
        let reader = try AVIFReader(limits: DecodingLimits(), showsLayers: true)
        do {
            let image = try unsafe perCell.withUnsafeBytes { bytes in
                unsafe reader.supply(bytes, isLast: false)
                _ = try reader.readHeader(of: perCell, limits: DecodingLimits())
                return try AVIFDecoder.decode(reader, options: DecodeOptions())
            }
            #expect(image.bitmap.alpha != .opaque)
        } catch let error as ImageError {
            #expect(error.code == .unsupportedFeature)
        }
    }

    /// The grid with item numbers of 32 bits and property numbers of 15 bits. The boxes move to the end, so that the
    /// items keep their positions.
    @Test
    func longItemAndPropertyNumbersAreRead() throws {
        let place = try #require(perCell.range(of: "meta"))
        var meta = Data(perCell[place].dropFirst(4))
        meta = FileBoxes.edit(meta, ["pitm"]) { Data([1, 0, 0, 0, 0, 0]) + $0.dropFirst(4) }
        meta = FileBoxes.edit(meta, ["iref"]) { list in
            ISOBoxes(list.dropFirst(4)).reduce(Data([1, 0, 0, 0])) { result, reference in
                let numbers = stride(from: 0, to: reference.content.count, by: 2).map { start in
                    (start == 2 ? Data() : Data(count: 2)) + reference.content.dropFirst(start).prefix(2)
                }
                return result + FileBoxes.box(reference.type, numbers.reduce(Data(), +))
            }
        }
        meta = FileBoxes.edit(meta, ["iprp", "ipma"]) { list in
            let bytes = Array(list)
            var (result, place) = (Data([1, 0, 0, 1]) + bytes[4..<8], 8)
            while place < bytes.count {
                let end = place + 3 + Int(bytes[place + 2])
                result += [0, 0] + bytes[place..<(place + 3)]
                for number in bytes[(place + 3)..<end] { result += [number & 0x80, number & 0x7F] }
                place = end
            }
            return result
        }
        var changed = perCell
        changed.replaceSubrange((place.lowerBound - 4)..<place.lowerBound, with: Data("free".utf8))
        changed += FileBoxes.box("meta", Data(count: 4) + meta)
        #expect(try AVIFDecoder().info(of: changed, limits: DecodingLimits()).hasAlpha)
        #expect(AVIFCellAlpha.isPresent(in: changed))
    }

    @Test
    func truncatedAndDamagedBoxesAreIgnored() {
        for place in perCell.indices {
            _ = AVIFCellAlpha.isPresent(in: perCell.prefix(place))
            for value in [UInt8(0), 1, 0x7F, 0xFF] {
                var damaged = perCell
                damaged[place] = value
                _ = AVIFCellAlpha.isPresent(in: damaged)
            }
        }
        #expect(AVIFCellAlpha.isPresent(in: perCell))
    }
}
