import Calotype
import LabModel
import Testing

@Suite struct ValueTests {
    @Test func halfBlocksAreReadAsTwoColours() {
        let line = "\u{1B}[38;2;1;2;3m\u{1B}[48;2;4;5;6m▀\u{1B}[39m \u{1B}[49m\u{1B}[38;2;7;8;9m▄\u{1B}[0m"
        let (a, b, c) = (
            HalfBlocks.RGB(red: 1, green: 2, blue: 3), HalfBlocks.RGB(red: 4, green: 5, blue: 6),
            HalfBlocks.RGB(red: 7, green: 8, blue: 9)
        )
        let cells = TerminalScreen([line]).cells
        #expect(cells.map { $0.map(\.top) } == [[a, b, nil]])
        #expect(cells.map { $0.map(\.bottom) } == [[b, b, c]])
        // A sequence that does not end is no reason to stop.
        #expect(TerminalScreen(["\u{1B}[38;2;1"]).cells == [[]])
    }

    @Test func theAxisOfAPlotEndsAtARoundNumber() {
        #expect([3, 10, 11, 0.3, 499, 501].map(Samples.roundUp) == [5, 10, 20, 0.5, 500, 1_000])
    }

    @Test func samplesKeepAMinute() {
        var samples = Samples()
        for number in 0..<300 { samples.add(ImageLoader.Statistics(), frame: .milliseconds(number), resident: number) }
        #expect(samples.plots.allSatisfy { $0.lines.allSatisfy { $0.values.count == Samples.limit } })
        let frames = samples.plots.last
        #expect(frames?.lines.first?.values.last == 299 && frames?.top == 500)
        #expect(frames?.summary == "drawing 299.0 ms")
    }

    @Test func everyEditableOptionIsReadBackAsItWasSet() {
        #expect(OptionField.all.count + OptionField.withoutEditor.count == OptionDescription.all.count)
        for field in OptionField.all {
            let texts =
                field.choices.isEmpty ? [field.unit == "W×H" ? "12×34" : field.unit == "seconds" ? "2.5" : "7"] : field.choices
            for text in texts {
                var layer = OptionLayer()
                #expect(field.set(text, in: &layer) && field.text(layer) == text, "\(field.name)")
                #expect(field.set("", in: &layer) && field.text(layer) == nil && layer.isEmpty, "\(field.name)")
            }
        }
    }

    @Test func aTextThatIsNoValueLeavesTheLayerAsItWas() throws {
        let field = try #require(OptionField.all.first { $0.name == "targetSize" })
        var layer = OptionLayer()
        for text in ["12", "12x", "12x3x4", "a×b", "1,5×2"] { #expect(!field.set(text, in: &layer) && layer.isEmpty, "\(text)") }
    }

    @Test func theMergedValueNamesItsLayerAndAnInvalidOneItsError() throws {
        var layers = Layers()
        let timeout = try #require(OptionField.all.first { $0.name == "timeout" })
        #expect(layers.origin(of: timeout) == "standard")
        #expect(timeout.set("5", in: &layers.all[0]) && layers.origin(of: timeout) == "global")
        #expect(timeout.set("6", in: &layers.all[2]) && layers.origin(of: timeout) == "runtime")
        let merged = try layers.merged.get()
        #expect(timeout.merged(merged) == "6.0")
        #expect(timeout.set("0", in: &layers.all[1]))
        guard case .failure(let error) = layers.merged else {
            Issue.record("A timeout of zero is valid.")
            return
        }
        #expect(error.message.contains("timeout = 0.0 seconds must be positive (request layer)"))
    }
}
