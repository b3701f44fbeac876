import ImageCore
import Testing

@testable import CalotypeCommand

@Suite("The command's output")
struct OutputTests {
    @Test func jsonMembersKeepTheirOrderAndSpecialCharactersAreEscaped() {
        let object = JSON.object([
            ("number", .number(1.5)), ("nothing", .string(nil)), ("list", .array([.integer(1), .boolean(true)])),
            ("text", .string("a \"b\" \\ \n\t\u{1}\u{9B}é")),
        ])
        #expect(
            object.text == #"{"number": 1.5, "nothing": null, "list": [1, true], "text": "a \"b\" \\ \n\t\u0001\u009bé"}"#)
        #expect(JSON.number(.infinity).text == "null" && JSON.integer(nil).text == "null")
    }

    @Test func aRowAlignsItsCellsAndMovesThemToTheRightOfALongOne() {
        let row = TableRow([(.left, 4), (.right, 7), (.left, 3)])
        #expect(row.line(["a", "7", ""]) == "a           7")
        #expect(row.line(["longer", "1234567", "b"]) == "longer  1234567  b")
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (14_249, "14.2 kB"), (999_499, "999 kB"), (999_500, "1.00 MB"),
        (3_100_000_000, "3.10 GB"),
    ])
    func bytesAreShownWithThreeDigits(_ count: Int, _ text: String) { #expect(Units.bytes(count) == text) }

    @Test(arguments: [(Duration.microseconds(240), "0.2 ms"), (.milliseconds(999), "999.0 ms"), (.milliseconds(3104), "3.10 s")])
    func timesAreShownInMillisecondsOrSeconds(_ time: Duration, _ text: String) { #expect(Units.time(time) == text) }

    @Test func progressShowsABarForEachRunningLoadAndALineForAllLoads() {
        var board = ProgressBoard(total: 3)
        board.start(0, name: "one")
        board.start(1, name: "two")
        board.advance(1, to: LoadProgress(received: 10, expected: nil))
        board.advance(0, to: LoadProgress(received: 500, expected: 1000))
        #expect(
            board.lines(columns: 40, rows: 5) == [
                "[#####.....] 50% of 1.00 kB  one", "[..........] 10 B  two", "0 of 3 done, 510 B",
            ])
        board.end(0)
        #expect(board.lines(columns: 40, rows: 5) == ["[..........] 10 B  two", "1 of 3 done, 510 B"])
    }

    @Test func progressNeverExceedsTheTerminal() {
        var board = ProgressBoard(total: 50)
        for index in 0..<50 { board.start(index, name: "a rather long name \(index)") }
        let lines = board.lines(columns: 20, rows: 4)
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.count <= 20 })
    }

    @Test func theReportOfAFailureHasAnErrorAndNoTier() {
        let error = ImageError(.corrupt, message: "The file is damaged.")
        let report = LoadReport(index: 7, source: "a.png", result: .failure(.failed(error)), total: .milliseconds(2))
        #expect(
            report.json.text == """
                {"source": "a.png", "tier": null, "status": "failed", "bytes": null, "width": null, "height": null, \
                "stages": {}, "total": 2.0, "coalesced": false, "output": null, "index": 7, \
                "error": "The file is damaged."}
                """)
    }

    @Test func aContactSheetHasRowsOfCellsWithCentredImages() throws {
        let sheet = ContactSheet(columns: 2, cell: PixelSize(width: 20, height: 10), gap: 2)
        #expect(sheet.size(for: 3) == PixelSize(width: 46, height: 26))
        #expect(sheet.origin(of: 2) == (2, 14))
        let white = try unsafe Bitmap(size: PixelSize(width: 4, height: 4), format: .gray8, alpha: .opaque) { pixels, _ in
            for index in pixels.indices { unsafe pixels[index] = 255 }
        }
        let clear = try unsafe Bitmap(size: PixelSize(width: 4, height: 4), format: .rgba8, alpha: .premultiplied) { _, _ in }
        let drawn = try sheet.draw([white, clear])
        func pixel(_ x: Int, _ y: Int) -> [UInt8] {
            unsafe drawn.withUnsafePixels { unsafe Array($0[y * drawn.bytesPerRow + x * 4..<y * drawn.bytesPerRow + x * 4 + 4]) }
        }
        #expect(pixel(2 + 8, 2 + 3) == [255, 255, 255, 255])
        #expect(pixel(2 + 11, 2 + 6) == [255, 255, 255, 255])
        #expect(pixel(2 + 12, 2 + 6) != [255, 255, 255, 255])
        // A transparent image and an empty part of a cell show the same background.
        #expect(pixel(24 + 9, 2 + 4) == pixel(24 + 1, 2 + 4))
    }
}
