import CalotypeTesting
import Foundation
import ImageCore
import ImageCodecs
import ImageDecoding
import Testing

@testable import ImageTargets

/// Images on terminals: replaced in place, in a grid, and decoded by other programs.
@Suite(.timeLimit(.minutes(5))) struct TerminalTargets {
    private static let protocols = Terminal.Graphics.allCases.filter { $0 != .none }

    private func terminalImage(_ graphics: Terminal.Graphics, columns: Int, rows: Int) -> TerminalImage {
        var terminal = Terminal(graphics: graphics, columns: 40, rows: 12)
        terminal.cell = PixelSize(width: 4, height: 8)
        return TerminalImage(terminal, columns: columns, rows: rows, encoder: FirstPixel())
    }

    private func gradient(_ width: Int, _ height: Int) throws -> Bitmap {
        try unsafe Bitmap(size: PixelSize(width: width, height: height), format: .rgba8, alpha: .opaque) { pixels, row in
            for y in 0..<height {
                for x in 0..<width {
                    for (index, value) in [UInt8(x * 7 % 256), UInt8(y * 5 % 256), UInt8((x + y) % 256), 255].enumerated() {
                        unsafe pixels[y * row + x * 4 + index] = value
                    }
                }
            }
        }
    }

    @Test(arguments: protocols, [0, 7, 11])
    func aPreviewIsReplacedInPlace(_ graphics: Terminal.Graphics, _ linesBefore: Int) async throws {
        let screen = Lock(TerminalScreen(rows: 12))
        screen.withLock { $0.write(String(repeating: "text\n", count: linesBefore)) }
        let target = TerminalTarget(terminalImage(graphics, columns: 10, rows: 6)) { text in screen.withLock { $0.write(text) } }
        // When two previews are set, the second of them smaller, and then the image,
        for (red, size, isPreview) in [(1, 48, true), (2, 20, true), (3, 48, false)] {
            var image = try TestImages.solid(width: size, height: size, red: UInt8(red))
            image.isPreview = isPreview
            await target.setImage(image, transition: .none)
        }
        // then all of them begin at the same place, and nothing of the previews is left.
        let (drawings, characters, cursor) = screen.withLock { ($0.drawings, $0.characters, $0.cursor) }
        #expect(drawings.allSatisfy { $0.position == TerminalScreen.Position(row: linesBefore, column: 0) })
        #expect(drawings.count == (graphics == .halfBlocks ? 0 : 3))
        #expect(cursor == TerminalScreen.Position(row: linesBefore + 5, column: 0))
        let colors = Set(characters.filter { $0.key.row >= linesBefore }.values)
        #expect(colors == (graphics == .halfBlocks ? ["38;2;3;0;0"] : []))
        // The next image is drawn below.
        await target.setImage(try TestImages.solid(width: 8, height: 8, red: 4), transition: .none)
        #expect(screen.withLock { $0.cursor.row } > cursor.row)
    }

    @Test(arguments: protocols) func aPlaceholderFillsTheBoxUntilTheImageReplacesIt(_ graphics: Terminal.Graphics) async throws {
        let screen = Lock(TerminalScreen(rows: 12))
        let target = TerminalTarget(terminalImage(graphics, columns: 10, rows: 6)) { text in screen.withLock { $0.write(text) } }
        await target.setPlaceholder(.color(red: 0, green: 0, blue: 1, alpha: 1))
        #expect(screen.withLock { $0.cursor } == TerminalScreen.Position(row: 6, column: 0))
        #expect(screen.withLock { FirstColor.find(in: $0) } == [0, 0, 255])
        await target.setImage(try TestImages.solid(width: 40, height: 16, red: 250), transition: .none)
        #expect(screen.withLock { FirstColor.find(in: $0) } == [250, 0, 0])
        #expect(screen.withLock { $0.drawings.allSatisfy { $0.position.row == 0 } && $0.cursor.row < 6 })
    }

    @Test func halfBlocksSideBySideMayBeHigherThanTheTerminal() throws {
        var screen = TerminalScreen(rows: 5)
        let row = try (0..<2).map { index -> (TerminalImage.Drawing, Int) in
            let image = try TestImages.solid(width: 4, height: 16 + 4 * index, red: UInt8(index + 1))
            return (try #require(try terminalImage(.halfBlocks, columns: 8, rows: 12).draw(image)), index * 9)
        }
        screen.write(TerminalImage.row(row))
        for (column, rows) in [(0, 8), (9, 10)] {
            let shown = screen.characters.keys.filter { $0.column == column }.map(\.row).sorted()
            #expect(shown == Array(0..<rows))
        }
        #expect(screen.cursor == TerminalScreen.Position(row: 10, column: 0))
    }

    @Test(arguments: protocols) func severalImagesFormAGrid(_ graphics: Terminal.Graphics) throws {
        var screen = TerminalScreen(rows: 12)
        for _ in 0..<3 {
            let row = try (0..<3).map { index -> (TerminalImage.Drawing, Int) in
                let image = try TestImages.solid(width: 32, height: 20 + 8 * index, red: UInt8(index))
                return (try #require(try terminalImage(graphics, columns: 8, rows: 4).draw(image)), index * 9)
            }
            screen.write(TerminalImage.row(row))
        }
        if graphics == .halfBlocks {
            // The box of 8 × 4 characters holds images of 8 × 5, 7 and 8 pixels.
            #expect(Set(screen.characters.filter { $0.value == "38;2;1;0;0" }.keys.map(\.column)) == Set(9..<17))
            #expect(Set(screen.characters.keys.map(\.row)) == Set(0..<12))
        } else {
            let positions = (0..<9).map { TerminalScreen.Position(row: $0 / 3 * 4, column: $0 % 3 * 9) }
            #expect(screen.drawings.map(\.position) == positions)
        }
        #expect(screen.cursor == TerminalScreen.Position(row: 12, column: 0))
    }

    @Test(arguments: protocols) func progressIsALineThatTheImageReplaces(_ graphics: Terminal.Graphics) async throws {
        let screen = Lock(TerminalScreen(rows: 12))
        let box = terminalImage(graphics, columns: 10, rows: 6)
        let target = TerminalTarget(box, showsProgress: true) { text in screen.withLock { $0.write(text) } }
        func text() -> Int { screen.withLock { $0.characters.values.count(where: \.isEmpty) } }
        await target.setLoading(true)
        await target.setProgress(LoadProgress(received: 5, expected: 10))
        #expect(text() == "Loading:50%".count)
        await target.setProgress(LoadProgress(received: 9_000, expected: nil))
        #expect(text() == "Loading:9kB".count)
        await target.setImage(try TestImages.solid(width: 40, height: 48, red: 51), transition: .none)
        #expect(text() == 0 && screen.withLock { $0.cursor } == TerminalScreen.Position(row: 6, column: 0))
        #expect(screen.withLock { FirstColor.find(in: $0) } == [51, 0, 0])
        // A load that is cancelled leaves no progress behind.
        await target.setProgress(LoadProgress(received: 5, expected: 10))
        await target.setLoading(false)
        #expect(text() == 0)
    }

    @Test(arguments: protocols) func terminalTargetsConform(_ graphics: Terminal.Graphics) async throws {
        let last = Lock([UInt8]())
        let target = TerminalTarget(terminalImage(graphics, columns: 8, rows: 4)) { text in
            var screen = TerminalScreen(rows: 12)
            screen.write(text)
            let color = FirstColor.find(in: screen)
            last.withLock { if let color { $0 = color } }
        }
        try await checkImageViewAdapterConformance(of: target, canClear: false) { _ in
            ViewAppearance(color: last.withLock { $0 })
        }
    }

    @Test @MainActor func terminalTargetsShowTheRequestedImagesInRandomPrograms() async throws {
        // The last colour of each target. The identifier of a released target may be used again by another one.
        final class Last: Sendable { let color = Lock([UInt8]()) }
        var screens: [ObjectIdentifier: Last] = [:]
        try await checkImageViewAdapterPrograms(
            programCount, canClear: false,
            makeView: { () -> TerminalTarget in
                let last = Last()
                let target = TerminalTarget(
                    TerminalImage(Terminal(graphics: .halfBlocks, columns: 2, rows: 2), encoder: FirstPixel())
                ) { text in
                    var screen = TerminalScreen(rows: 12)
                    screen.write(text)
                    if let color = FirstColor.find(in: screen) { last.color.withLock { $0 = color } }
                }
                screens[ObjectIdentifier(target)] = last
                return target
            },
            appearance: { target in ViewAppearance(color: screens[ObjectIdentifier(target)]?.color.withLock { $0 } ?? []) })
    }

    // MARK: Other programs

    @Test func libsixelDecodesTheSameImage() throws {
        guard let decoder = Program("sixel2png") else {
            return print("sixel2png is not installed; only the decoder of these tests decoded sixels.")
        }
        let folder = try TemporaryFolder()
        // Given few colours, which sixels keep, and a last band that is not full.
        let bitmap = try unsafe Bitmap(size: PixelSize(width: 50, height: 23), format: .rgba8, alpha: .opaque) { pixels, row in
            for y in 0..<23 {
                for x in 0..<50 {
                    let index = (y / 2 * 25 + x / 2) % 200
                    for (offset, value) in [UInt8(index), UInt8(255 - index), UInt8(index / 2), 255].enumerated() {
                        unsafe pixels[y * row + x * 4 + offset] = value
                    }
                }
            }
        }
        try Data(Sixel().draw(bitmap).utf8).write(to: folder["image.six"])
        _ = try decoder.run(["-i", folder["image.six"].path, "-o", folder["image.png"].path])
        let decoded = try DecoderRegistry(.codecs).decode(Data(contentsOf: folder["image.png"]), options: DecodeOptions())
        try #require(decoded.size == bitmap.size)
        for y in 0..<23 {
            for x in 0..<50 {
                let (seen, wanted) = (
                    TestImages.pixel(of: decoded, x: x, y: y), TestImages.pixel(of: DecodedImage(bitmap), x: x, y: y)
                )
                // Sixels have components in percent.
                #expect(zip(seen, wanted).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "At \(x), \(y): \(seen), not \(wanted)")
            }
        }
    }

    @Test func tmuxShowsTheSameHalfBlocks() throws {
        guard let tmux = Program("tmux") else {
            return print("tmux is not installed; half blocks were not tested with it.")
        }
        let folder = try TemporaryFolder()
        // Given two images side by side, with three columns between them.
        let bitmap = try gradient(12, 10)
        let drawing = try #require(try terminalImage(.halfBlocks, columns: 12, rows: 5).draw(DecodedImage(bitmap)))
        try Data(TerminalImage.row([(drawing, 0), (drawing, 15)]).utf8).write(to: folder["image"])
        // when a program in tmux writes them and signals that it did,
        let server = ["-S", folder["socket"].path, "-f", "/dev/null"]
        let wait = "'\(tmux.path)' -S '\(folder["socket"].path)' wait-for -S drawn; exec cat"
        _ = try tmux.run(server + ["new-session", "-d", "-x", "40", "-y", "12", "cat '\(folder["image"].path)'; \(wait)"])
        // The thread of a test blocks signals, and so does the server that it starts: it would wait for its programs
        // for ever.
        let process = try tmux.run(server + ["display-message", "-p", "#{pid}"])
        defer { if let id = Int32(process.trimmingCharacters(in: .newlines)) { kill(id, SIGKILL) } }
        _ = try tmux.run(server + ["wait-for", "drawn"])
        let lines = try tmux.run(server + ["capture-pane", "-p", "-e"]).split(separator: "\n", omittingEmptySubsequences: false)
        // then every cell has the colours of its two pixels.
        func pixel(_ x: Int, _ y: Int) -> [Int] {
            TestImages.pixel(of: DecodedImage(bitmap), x: x, y: y).prefix(3).map(Int.init)
        }
        for y in 0..<5 {
            let cells = ColoredCells.parse(String(lines[y]))
            try #require(cells.count >= 27)
            for x in 0..<12 {
                for left in [0, 15] {
                    #expect(cells[left + x].foreground == pixel(x, 2 * y) && cells[left + x].background == pixel(x, 2 * y + 1))
                }
            }
        }
    }
}

/// Encodes the red, green and blue of the first pixel.
struct FirstPixel: Encoding {
    var formats: [ImageFormat] { [.png] }
    func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        Data(TestImages.color(of: image))
    }
}

/// Finds the first colour on a screen, in the output of any protocol.
private enum FirstColor {
    static func find(in screen: TerminalScreen) -> [UInt8]? {
        if let text = screen.characters.values.first(where: { !$0.isEmpty }) {
            return text.split(separator: ";").suffix(3).compactMap { UInt8($0) }
        }
        guard let drawing = screen.drawings.last else { return nil }
        if drawing.text.hasPrefix("P") {
            let image = try? SixelImage("\u{1B}\(drawing.text)\u{1B}\\")
            return image?.pixels.first??.map { UInt8(($0 * 255 + 50) / 100) }
        }
        // kitty's and iTerm2's protocols have base64 after the last `;` or `:`.
        let data = drawing.text.split { $0 == ";" || $0 == ":" }.last.flatMap { Data(base64Encoded: String($0)) }
        return data.map { Array($0.prefix(3)) }
    }
}

/// A folder that is removed with this object.
private final class TemporaryFolder {
    private let url = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
    subscript(name: String) -> URL { url.appending(path: name) }
}

/// A program, if it is installed.
private struct Program {
    let path: String

    init?(_ name: String) {
        let places = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
        guard let path = places.first(where: FileManager.default.isExecutableFile) else { return nil }
        self.path = path
    }

    func run(_ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
