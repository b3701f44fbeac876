import CalotypeTesting
import Foundation
import ImageCore
import ImageTargets
import Testing

/// Animations on terminals, frame by frame.
@Suite(.timeLimit(.minutes(5))) struct TerminalAnimations {
    private static let protocols = Terminal.Graphics.allCases.filter { $0 != .none }

    private func terminalImage(_ graphics: Terminal.Graphics, columns: Int, rows: Int) -> TerminalImage {
        var terminal = Terminal(graphics: graphics, columns: 40, rows: 12)
        terminal.cell = PixelSize(width: 4, height: 8)
        return TerminalImage(terminal, columns: columns, rows: rows, encoder: FirstPixel())
    }

    @Test(arguments: protocols, [0, 7, 11])
    func framesAreDrawnInPlace(_ graphics: Terminal.Graphics, _ linesBefore: Int) async throws {
        let screen = Lock(TerminalScreen(rows: 12))
        screen.withLock { $0.write(String(repeating: "text\n", count: linesBefore)) }
        let target = TerminalTarget(terminalImage(graphics, columns: 10, rows: 6)) { text in screen.withLock { $0.write(text) } }
        await target.setImage(try TestImages.solid(width: 30, height: 20, red: 1), transition: .none)
        let cursor = screen.withLock { $0.cursor }
        for red in [2, 3] { await target.setFrame(try TestImages.solid(width: 30, height: 20, red: UInt8(red))) }
        let (drawings, characters) = screen.withLock { ($0.drawings, $0.characters.filter { $0.key.row >= linesBefore }) }
        #expect(screen.withLock { $0.cursor } == cursor)
        #expect(drawings.allSatisfy { $0.position == TerminalScreen.Position(row: linesBefore, column: 0) })
        #expect(drawings.count == (graphics == .halfBlocks ? 0 : 3))
        #expect(Set(characters.values) == (graphics == .halfBlocks ? ["38;2;3;0;0"] : []))
        // After other text, no frame is drawn over it.
        await target.setFailure(ImageError(.plugInFailed, message: "failed"))
        let before = screen.withLock { $0.cursor }
        await target.setFrame(try TestImages.solid(width: 30, height: 20, red: 4))
        #expect(screen.withLock { $0.cursor == before && $0.drawings.count == drawings.count })
    }

    @Test func anImageAsHighAsTheTerminalKeepsItsFirstFrame() async throws {
        let written = EventLog<String>()
        let target = TerminalTarget(terminalImage(.halfBlocks, columns: 40, rows: 12)) { written.append($0) }
        await target.setImage(try TestImages.solid(width: 8, height: 24), transition: .none)
        await target.setFrame(try TestImages.solid(width: 8, height: 24, red: 1))
        #expect(written.count == 1)
    }

    @Test func transparentPixelsOfAFrameEraseTheFrameBefore() async throws {
        let screen = Lock(TerminalScreen(rows: 12))
        let target = TerminalTarget(terminalImage(.sixel, columns: 10, rows: 6)) { text in screen.withLock { $0.write(text) } }
        await target.setImage(try TestImages.solid(width: 8, height: 8, red: 255), transition: .none)
        await target.setFrame(try TestImages.solid(width: 8, height: 8, alpha: 0))
        let frame = try #require(screen.withLock { $0.drawings.last?.text })
        #expect(try SixelImage("\u{1B}\(frame)\u{1B}\\").pixels.allSatisfy { $0 == [0, 0, 0] })
    }

    @Test func aTargetPlaysAnAnimationOfTheSizeOfItsBox() async throws {
        let (provider, clock) = (ScriptedProvider(), ManualClock())
        let written = EventLog<String>()
        let view = TerminalTarget(terminalImage(.halfBlocks, columns: 10, rows: 6)) { written.append($0) }
        let target = ImageTarget(view, loader: provider)
        await target.setImage(URL(string: "test://a")!)
        #expect(provider.loads[0].request.options.targetSize == PixelSize(width: 10, height: 12))
        var image = try TestImages.solid(width: 10, height: 12, red: 1)
        image.animation = AnimatedImage(Frames(), clock: clock)
        provider.loads[0].succeed(image)
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(100))
        await written.wait(forCount: 2)
        #expect(written.events[0].contains("38;2;1;0;0") && written.events[1].contains("38;2;51;0;0"))
        #expect(written.events[1].hasPrefix("\r\u{1B}[6A"))
        await target.clear()
    }

    private struct Frames: AnimationFrames {
        var durations: [Duration] { [.milliseconds(100), .milliseconds(100)] }
        var loopCount: Int { 0 }
        var byteCount: Int { 0 }
        func frame(at index: Int) async throws -> DecodedImage {
            try TestImages.solid(width: 10, height: 12, red: 50 + UInt8(index))
        }
    }
}
