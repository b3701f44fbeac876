import CalotypeTesting
import ImageCore
import ImageTargets
import Testing

@Suite struct HalfBlockDrawing {
    @Test func aCellShowsTwoPixels() throws {
        // Given two rows of one pixel: red above blue.
        let bitmap = try unsafe Bitmap(size: PixelSize(width: 1, height: 2), format: .rgba8, alpha: .opaque) { pixels, row in
            for (index, value) in [255, 0, 0, 255].enumerated() { unsafe pixels[index] = UInt8(value) }
            for (index, value) in [0, 0, 255, 255].enumerated() { unsafe pixels[row + index] = UInt8(value) }
        }
        #expect(
            HalfBlocks(columns: 10, rows: 10).draw(bitmap) == "\u{1B}[38;2;255;0;0m\u{1B}[48;2;0;0;255m▀\u{1B}[0m")
    }

    @Test func aColourIsWrittenOnlyWhereItChanges() throws {
        let image = try TestImages.solid(width: 3, height: 2, red: 9)
        #expect(HalfBlocks(columns: 3, rows: 1).draw(image.bitmap) == "\u{1B}[38;2;9;0;0m\u{1B}[48;2;9;0;0m▀▀▀\u{1B}[0m")
    }

    @Test func transparentPixelsShowTheBackground() throws {
        let clear = try TestImages.solid(width: 2, height: 2, alpha: 0)
        #expect(HalfBlocks(columns: 2, rows: 1).draw(clear.bitmap) == "  ")
        let white = HalfBlocks.RGB(red: 255, green: 255, blue: 255)
        #expect(
            HalfBlocks(columns: 2, rows: 1, background: white).draw(clear.bitmap)
                == "\u{1B}[38;2;255;255;255m\u{1B}[48;2;255;255;255m▀▀\u{1B}[0m")
        let half = try TestImages.solid(width: 1, height: 1, red: 200, alpha: 128)
        #expect(HalfBlocks(columns: 1, rows: 1, background: white).draw(half.bitmap).hasPrefix("\u{1B}[38;2;227;127;127m"))
    }

    @Test func theLastRowOfAnOddHeightHasNoBackground() throws {
        let image = try TestImages.solid(width: 1, height: 3, red: 5)
        let lines = HalfBlocks(columns: 1, rows: 9).draw(image.bitmap).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last == "\u{1B}[38;2;5;0;0m▀\u{1B}[0m")
    }

    @Test func aLargeGreyImageIsScaledDownToTheBox() throws {
        let bitmap = try unsafe Bitmap(size: PixelSize(width: 40, height: 80), format: .gray8, alpha: .opaque) { pixels, row in
            for y in 0..<80 { for x in 0..<40 { unsafe pixels[y * row + x] = x < 20 ? 0 : 100 } }
        }
        let lines = HalfBlocks(columns: 2, rows: 2).draw(bitmap).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].contains("38;2;0;0;0") && lines[0].contains("38;2;100;100;100"))
    }
}

@Suite(.timeLimit(.minutes(1))) struct HalfBlockTargets {
    @Test func theTerminalGetsImagesAndFailuresAsText() async throws {
        let written = EventLog<String>()
        let target = TerminalTarget(TerminalImage(Terminal(graphics: .halfBlocks, columns: 1, rows: 2), encoder: FirstPixel())) {
            written.append($0)
        }
        await target.setImage(try TestImages.solid(width: 1, height: 2, red: 1), transition: .none)
        await target.setFailure(ImageError(.corrupt, message: "It is broken."))
        #expect(written.events == ["\u{1B}[38;2;1;0;0m\u{1B}[48;2;1;0;0m▀\u{1B}[0m\n", "It is broken.\n"])
    }

    @Test func aFailureIsOneLineWithoutControlCharacters() async {
        let written = EventLog<String>()
        let target = TerminalTarget(TerminalImage(Terminal(graphics: .halfBlocks, columns: 1, rows: 2), encoder: FirstPixel())) {
            written.append($0)
        }
        await target.setFailure(ImageError(.fileUnreadable, message: "There is no file é\n\u{1B}[2J\u{9B}2J\u{7F}.png."))
        #expect(written.events == ["There is no file é  [2J 2J .png.\n"])
    }
}
