import CalotypeTesting
import Foundation
import ImageCodecs
import ImageCore
import ImageDecoding
import Testing

@testable import ImageTargets

@Suite struct TerminalDetection {
    private func terminal(_ environment: [String: String], isTerminal: Bool = true, pixels: PixelSize? = nil) -> Terminal {
        Terminal(environment: environment, isTerminal: isTerminal, size: (columns: 80, rows: 24), pixels: pixels)
    }

    @Test(arguments: [
        (["TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"], Terminal.Graphics.kitty, HalfBlocks.Colors.trueColor),
        (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], .iTerm2, .trueColor),
        (["TERM": "foot"], .sixel, .trueColor),
        (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .halfBlocks, .trueColor),
        (["TERM": "xterm-256color"], .halfBlocks, .palette),
        (["TERM": "linux"], .halfBlocks, .ansi),
        (["TERM": "xterm-16color"], .halfBlocks, .ansi),
        (["TERM": "vt100"], .none, .trueColor),
        (["TERM": "vt220"], .none, .trueColor),
        (["TERM": "xterm-mono"], .none, .trueColor),
        (["TERM": "dumb"], .none, .trueColor),
        (["TERM": "xterm-kitty", "NO_COLOR": "1"], .none, .trueColor),
        ([:], .none, .trueColor),
        // Inside tmux, the variables of the outer terminal do not count.
        (["TERM": "tmux-256color", "TMUX": "/tmp/x", "KITTY_WINDOW_ID": "1"], .halfBlocks, .trueColor),
    ])
    func theEnvironmentDecidesTheProtocol(
        _ environment: [String: String], _ graphics: Terminal.Graphics, _ colors: HalfBlocks.Colors
    ) {
        #expect(terminal(environment).graphics == graphics)
        #expect(terminal(environment).colors == colors)
        #expect(terminal(environment, isTerminal: false).graphics == .none)
    }

    @Test func theAnswersOfTheTerminalOverrideTheEnvironment() {
        var detected = terminal(["TERM": "xterm-256color"])
        let answers = Array("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t\u{1B}]11;rgb:1e1e/ffff/0000\u{1B}\\\u{1B}[?62;4c".utf8)
        #expect(Terminal.isComplete(answers))
        #expect(!Terminal.isComplete(answers.dropLast(2)))
        detected.update(from: answers)
        #expect(detected.graphics == .kitty)
        #expect(detected.cell == PixelSize(width: 10, height: 20))
        #expect(detected.background == HalfBlocks.RGB(red: 0x1E, green: 255, blue: 0))

        var inside = terminal(["TERM": "tmux-256color", "TMUX": "x"])
        inside.update(from: Array("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t\u{1B}[?1;2;4c".utf8))
        #expect(inside.graphics == .sixel)
    }

    @Test func theSizeOfACellFollowsFromTheWindowUnlessTheTerminalReportsIt() {
        // xterm, which does not answer `CSI 16 t` as installed: the window has a border of two pixels.
        let attributes = "\u{1B}[?63;1;2;4;6;9;15;16;22;28c"
        var detected = terminal(["TERM": "xterm"], pixels: PixelSize(width: 80 * 6 + 4, height: 24 * 13 + 4))
        #expect(detected.cell == PixelSize(width: 6, height: 13))
        detected.update(from: Array(attributes.utf8))
        #expect(detected.graphics == .sixel && detected.cell == PixelSize(width: 6, height: 13))
        detected.update(from: Array(("\u{1B}[6;20;10t" + attributes).utf8))
        #expect(detected.cell == PixelSize(width: 10, height: 20))
    }

    @Test(arguments: ["xterm", "foot"], [nil, PixelSize(width: 0, height: 0), PixelSize(width: 40, height: 20)])
    func withoutTheSizeOfACellHalfBlocksAreDrawn(_ term: String, _ pixels: PixelSize?) {
        var detected = terminal(["TERM": term], pixels: pixels)
        detected.update(from: Array("\u{1B}[?62;4c".utf8))
        #expect(detected.graphics == .halfBlocks)
        detected.update(from: Array("\u{1B}[6;16;8t\u{1B}[?62;4c".utf8))
        #expect(detected.graphics == .sixel)
    }

    @Test(arguments: ["48:2::1:2:3", "48:2:1:2:3", "48;2;1;2;3"]) func aTerminalThatKeepsA24BitColourHasThem(_ color: String) {
        var detected = terminal(["TERM": "xterm-256color"])
        #expect(detected.query.contains("\u{1B}[48;2;1;2;3m\u{1B}P$qm\u{1B}\\\u{1B}[m"))
        detected.update(from: Array("\u{1B}P1$r0;\(color)m\u{1B}\\\u{1B}[?62c".utf8))
        #expect(detected.colors == .trueColor && detected.graphics == .halfBlocks)
        #expect(!detected.query.contains("\u{1B}P"))
        // One that chose a colour of its palette has not.
        var approximating = terminal(["TERM": "xterm-256color"])
        approximating.update(from: Array("\u{1B}P1$r0;48:5:16m\u{1B}\\\u{1B}[?62c".utf8))
        #expect(approximating.colors == .palette)
    }

    @Test func theTargetSizeIsInPixelsOnlyWhereTheTerminalDrawsThem() {
        var detected = terminal(["TERM": "xterm"], pixels: PixelSize(width: 80 * 10, height: 24 * 20))
        for graphics in Terminal.Graphics.allCases {
            detected.graphics = graphics
            let isText = graphics == .halfBlocks || graphics == .none
            #expect(
                TerminalImage(detected, columns: 8, rows: 3, encoder: FirstPixel()).targetSize
                    == (isText ? PixelSize(width: 8, height: 6) : PixelSize(width: 80, height: 60)), "\(graphics)")
        }
    }

    @Test func imagesAreNotLargerThanTheTerminalDrawsSixels() {
        // xterm draws at most 1,000 × 1,000 pixels of a larger window.
        var detected = terminal(["TERM": "xterm"], pixels: PixelSize(width: 80 * 20, height: 24 * 40))
        #expect(detected.query.contains("\u{1B}[?2;1;0S"))
        detected.update(from: Array("\u{1B}[?2;0;1000;780S\u{1B}[?63;4c".utf8))
        #expect(detected.graphics == .sixel && detected.maximumSixelSize == PixelSize(width: 1_000, height: 780))
        #expect(
            TerminalImage(detected, columns: 80, rows: 10, encoder: FirstPixel()).targetSize
                == PixelSize(width: 1_000, height: 400))
        detected.graphics = .kitty
        #expect(
            TerminalImage(detected, columns: 80, rows: 10, encoder: FirstPixel()).targetSize
                == PixelSize(width: 1_600, height: 400))
        // A terminal without sixels reports an error (3), and not every terminal answers.
        for answer in ["\u{1B}[?2;3S", "\u{1B}[?2;0;0;0S", "\u{1B}[?2;0;1000S"] {
            var other = terminal(["TERM": "xterm"], pixels: PixelSize(width: 80 * 20, height: 24 * 40))
            other.update(from: Array((answer + "\u{1B}[?63;4c").utf8))
            #expect(other.maximumSixelSize == nil)
        }
    }

    @Test func onlyTerminalsThatReadThemGetQueries() {
        let kitty = "\u{1B}_G"
        #expect(terminal(["TERM": "xterm-256color"]).query.contains(kitty))
        // tmux and screen take the query of kitty's protocol for a title.
        for environment in [["TERM": "tmux-256color"], ["TERM": "screen"], ["TERM": "xterm", "TMUX": "/tmp/x"]] {
            let query = terminal(environment).query
            #expect(!query.contains(kitty) && query.hasSuffix("\u{1B}[c"))
        }
        for environment in [["TERM": "linux"], ["TERM": "vt100"], ["TERM": "dumb"]] { #expect(terminal(environment).query == "") }
    }

    @Test(arguments: [
        "", "q", "\u{1B}", "\u{1B}[6;0;99999999999999999999t", "\u{1B}]11;rgb:zz/1/1\u{1B}\\", "\u{1B}[?;;c\u{1B}[6;t",
    ])
    func malformedAnswersChangeNothing(_ text: String) {
        var detected = terminal(["TERM": "xterm-256color"])
        detected.update(from: Array(text.utf8))
        #expect(detected == terminal(["TERM": "xterm-256color"]))
    }
}

@Suite struct Dithering {
    @Test func aPaletteHasAsManyColoursAsItMay() {
        let reds = (0..<64).map { HalfBlocks.RGB(red: UInt8(4 * $0), green: 0, blue: 0) }
        // The means of the quarters.
        #expect(ColorPalette(reds, limit: 4).colors.map(\.red).sorted() == [30, 94, 158, 222])
        #expect(ColorPalette(reds, limit: 64).colors == reds && ColorPalette(reds, limit: 1).colors.count == 1)
    }

    /// Compares with the formula of Floyd and Steinberg for an image that has all errors at once.
    @Test(arguments: [1, 2, 5, 8]) func eachErrorGoesToTheNeighboursToTheRightAndBelow(width: Int) {
        let height = 4
        let levels = (0..<width * height).map { UInt8(40 + 37 * $0 % 180) }
        var errors = [[Int]](repeating: [Int](repeating: 0, count: width), count: height)
        var expected: [Int?] = []
        for (y, x) in (0..<height).flatMap({ y in (0..<width).map { (y, $0) } }) {
            let level = max(0, min(255, Int(levels[y * width + x]) + errors[y][x] / 16))
            expected.append(level > 127 ? 1 : 0)
            let error = level - (level > 127 ? 255 : 0)
            for (dx, dy, weight) in [(1, 0, 7), (-1, 1, 3), (0, 1, 5), (1, 1, 1)]
            where (0..<width).contains(x + dx) && y + dy < height { errors[y + dy][x + dx] += weight * error }
        }
        let palette = ColorPalette(colors: [0, 255].map { HalfBlocks.RGB(red: $0, green: $0, blue: $0) })
        let pixels = levels.map { HalfBlocks.RGB(red: $0, green: $0, blue: $0) }
        #expect(palette.indices(pixels, width: width) == expected)
    }
}

@Suite struct TerminalDrawing {
    @Test func kittyGetsAFileInChunksOfAtMost4096Bytes() throws {
        let file = Data((0..<9_999).map { UInt8($0 % 251) })
        let commands = try KittyCommand.parse(KittyGraphics(id: 9).draw(file, columns: 8, rows: 3))
        #expect(commands.count == 1)
        let command = try #require(commands.first)
        #expect(command.longestChunk <= 4096)
        let keys = ["a": "T", "i": "9", "c": "8", "r": "3", "f": "100", "C": "1"]
        #expect(keys.allSatisfy { command.keys[$0.key] == $0.value })
        #expect(Data(base64Encoded: command.data) == file)
    }

    @Test func iTerm2GetsTheFile() throws {
        let file = Data((0..<999).map { UInt8($0 % 251) })
        let text = ITerm2Image.draw(file, columns: 12, rows: 5)
        let body = try #require(text.split(separator: "\u{1B}]1337;File=").last?.split(separator: "\u{07}").first)
        let parts = body.split(separator: ":")
        #expect(parts[0].split(separator: ";").contains("size=999") && parts[0].split(separator: ";").contains("width=12"))
        #expect(Data(base64Encoded: String(parts[1])) == file)
        #expect(text.hasPrefix("\u{1B}7") && text.hasSuffix("\u{1B}8"))
    }

    @Test func sixelsKeepTheColoursOfAnImageWithFewColours() throws {
        // Given 40 × 23 pixels of 200 colours, so that the last band is not full.
        let bitmap = try unsafe Bitmap(size: PixelSize(width: 40, height: 23), format: .rgba8, alpha: .opaque) { pixels, row in
            for y in 0..<23 {
                for x in 0..<40 {
                    let index = (y * 40 + x) % 200
                    for (offset, value) in [UInt8(index), UInt8(255 - index), UInt8(index / 2), 255].enumerated() {
                        unsafe pixels[y * row + x * 4 + offset] = value
                    }
                }
            }
        }
        let decoded = try SixelImage(Sixel().draw(bitmap))
        #expect(decoded.width == 40 && decoded.height == 23)
        for y in 0..<23 {
            for x in 0..<40 {
                let wanted = TestImages.pixel(of: DecodedImage(bitmap), x: x, y: y).prefix(3).map {
                    (Int($0) * 100 + 127) / 255
                }
                #expect(decoded.pixels[y * 40 + x] == wanted)
            }
        }
    }

    @Test func sixelsOfManyColoursHaveAtMost256AndTheRightColoursOnAverage() throws {
        // Given a smooth gradient of 9,600 colours.
        let bitmap = try unsafe Bitmap(size: PixelSize(width: 120, height: 80), format: .rgba8, alpha: .opaque) { pixels, row in
            for y in 0..<80 {
                for x in 0..<120 {
                    for (index, value) in [UInt8(x * 2), UInt8(y * 3), 128, 255].enumerated() {
                        unsafe pixels[y * row + x * 4 + index] = value
                    }
                }
            }
        }
        let decoded = try SixelImage(Sixel().draw(bitmap))
        #expect(decoded.colors <= 256)
        for top in stride(from: 8, to: 72, by: 8) {
            for left in stride(from: 8, to: 112, by: 8) {
                var (shown, wanted) = (SIMD3<Double>(), SIMD3<Double>())
                for y in top..<top + 8 {
                    for x in left..<left + 8 {
                        let pixel = try #require(decoded.pixels[y * 120 + x])
                        shown += SIMD3(Double(pixel[0]), Double(pixel[1]), Double(pixel[2])) / 64
                        wanted += SIMD3(Double(x * 2), Double(y * 3), 128) / 64 * 100 / 255
                    }
                }
                // In percent. Dithering compensates the error of a pixel in its neighbours.
                let error = shown - wanted
                #expect(max(abs(error.x), abs(error.y), abs(error.z)) < 2, "At \(left), \(top): \(error)")
            }
        }
    }

    @Test func sixelsLeaveTransparentPixelsUnsetOrDrawTheBackground() throws {
        let clear = try TestImages.solid(width: 3, height: 3, alpha: 0).bitmap
        #expect(try SixelImage(Sixel().draw(clear)).pixels.allSatisfy { $0 == nil })
        let white = HalfBlocks.RGB(red: 255, green: 255, blue: 255)
        #expect(try SixelImage(Sixel(background: white).draw(clear)).pixels.allSatisfy { $0 == [100, 100, 100] })
    }

    @Test(arguments: [HalfBlocks.Colors.palette, .ansi]) func fewColoursAreDitheredToTheRightColourOnAverage(
        _ colors: HalfBlocks.Colors
    ) throws {
        // A brown that neither palette has.
        let (brown, count) = (SIMD3<Int>(101, 67, 33), 120 * 120)
        let image = try TestImages.solid(
            width: 120, height: 120, red: UInt8(brown.x), green: UInt8(brown.y), blue: UInt8(brown.z))
        let blocks = HalfBlocks(columns: 120, rows: 60, colors: colors)
        // The sum of the colours of both halves of all cells.
        var sum = SIMD3<Int>()
        for line in blocks.lines(image.bitmap) {
            var (foreground, back) = ("", "")
            for part in line.split(separator: "\u{1B}[") {
                let end = try #require(part.firstIndex(of: "m"))
                let code = String(part[..<end])
                if code.hasPrefix("4") || code.hasPrefix("10") { back = code } else { foreground = code }
                for _ in part[part.index(after: end)...] { sum &+= try color(foreground) &+ color(back) }
            }
        }
        // Errors that would make a component negative are lost. The nearest colour of either palette differs by more
        // than 30.
        let error = sum / count &- brown
        #expect(max(abs(error.x), abs(error.y), abs(error.z)) <= 5, "\(error)")
    }

    /// The colour of an `SGR` code of 256 or 16 colours.
    private func color(_ code: String) throws -> SIMD3<Int> {
        let numbers = code.split(separator: ";").compactMap { Int($0) }
        guard numbers.count == 3 else {
            // The 16 colours of VGA.
            let number = try #require(numbers.first)
            let bright = number >= 90
            let index = (bright ? number - 60 : number) % 10
            if index == 3, !bright { return SIMD3(170, 85, 0) }
            return SIMD3(index & 1, index >> 1 & 1, index >> 2 & 1) &* 170 &+ (bright ? 85 : 0)
        }
        let index = numbers[2]
        if index >= 232 { return SIMD3(repeating: 8 + 10 * (index - 232)) }
        let levels = [0, 95, 135, 175, 215, 255]
        return SIMD3(levels[(index - 16) / 36], levels[(index - 16) / 6 % 6], levels[(index - 16) % 6])
    }

    @Test func kittyGetsFilesFromAnEncoder() throws {
        let image = try TestImages.solid(width: 8, height: 8, red: 9)
        let terminal = Terminal(graphics: .kitty, columns: 20, rows: 10)
        let drawing = try #require(try TerminalImage(terminal, encoder: EncoderRegistry(.codecs)).draw(image))
        let commands = try KittyCommand.parse(drawing.lines[0])
        #expect(commands.map { $0.keys["f"] } == ["100"])
        let file = try #require(Data(base64Encoded: commands[0].data))
        let sent = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions())
        #expect(sent.size == image.size && TestImages.color(of: sent) == TestImages.color(of: image))
    }

    @Test func imagesAreDrawnSideBySide() throws {
        var terminal = Terminal(graphics: .halfBlocks, columns: 20, rows: 10)
        terminal.colors = .palette
        let image = TerminalImage(terminal, columns: 2, rows: 2, encoder: FirstPixel())
        let drawing = try #require(try image.draw(TestImages.solid(width: 2, height: 4, red: 255)))
        #expect(drawing.rows == 2 && drawing.columns == 2)
        let line = "\u{1B}[38;5;196m\u{1B}[48;5;196m▀▀\u{1B}[0m"
        #expect(drawing.placed() == "\(line)\n\(line)\n")
        let lower = try #require(try image.draw(TestImages.solid(width: 2, height: 2, red: 255)))
        #expect(
            TerminalImage.row([(lower, 0), (drawing, 5)]) == "\(line)\r\u{1B}[5C\(line)\n\r\u{1B}[5C\(line)\n")
        let none = TerminalImage(Terminal(graphics: .none, columns: 9, rows: 9), encoder: FirstPixel())
        #expect(try none.draw(TestImages.solid()) == nil)
    }
}
