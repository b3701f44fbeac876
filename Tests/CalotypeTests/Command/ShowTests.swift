#if os(Linux)
    import ImageCore
    import ImageDecoding
    import ImageTargets
    import LoopbackHTTP
    import Testing

    /// On a terminal of the test's own, which answers as kitty's or iTerm2's would.
    @Suite("calotype show", .timeLimit(.minutes(1)))
    struct ShowTests {
        /// What tells the command to ask no further, and what it was asked.
        private static let answers = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;16;8t\u{1B}]11;rgb:0000/0000/0000\u{1B}\\\u{1B}[?62c"

        /// However busy the machine is, the answers come in time.
        private static let waiting = ["CALOTYPE_TERMINAL_TIME": "60000"]

        /// Serves a file, the second half of it once the gate is open.
        private static func serveHalf(_ file: [UInt8], until gate: LoopbackServer.Gate) throws -> LoopbackServer {
            try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Content-Length", String(file.count))])
                try connection.write(Array(file[..<(file.count / 2)]))
                try connection.wait(for: gate)
                try connection.write(Array(file[(file.count / 2)...]))
            }
        }

        @Test(arguments: ["xterm-256color", "xterm-kitty"]) func previewsAreDrawnInPlaceWhileThePictureComes(_ term: String)
            async throws
        {
            // Given a server that keeps the second half of a progressive JPEG back, and a terminal,
            let gate = try LoopbackServer.Gate()
            let server = try Self.serveHalf(Array(try Project.bytes(of: "dunes.jpg")), until: gate)
            defer { server.stop() }
            let terminal = try PseudoTerminal()
            let isKitty = term == "xterm-kitty"
            let command = try CommandProcess(
                ["show", server.url("/dunes.jpg"), "--size", "30x10"],
                environment: Self.waiting.merging(["TERM": term, "COLORTERM": "truecolor"]) { $1 }, on: terminal)
            await terminal.wait { $0.contains(Terminal.query) }
            terminal.type(isKitty ? Self.answers : "\u{1B}[?62c")
            // when a preview stands there in its whole size, and then the rest comes,
            await terminal.wait { $0.contains(isKitty ? ",m=0;" : "▀") && Self.screen($0).cursor.row == 10 }
            let before = Self.screen(terminal.text)
            gate.open()
            let run = try await command.end()
            // then the picture stands where the preview stood, another than it, and nothing besides.
            let after = Self.screen(await terminal.all())
            #expect(run.ending == .status(0))
            #expect(after.cursor == before.cursor)
            if isKitty {
                // Where half a second has passed, the rest is shown as a preview too.
                #expect(before.drawings.count == 1 && after.drawings.count >= 2)
                #expect(after.drawings.allSatisfy { $0.position == .init(row: 0, column: 0) })
                #expect(after.drawings.first?.text != after.drawings.last?.text)
            } else {
                #expect(!before.characters.isEmpty && after.characters.keys == before.characters.keys)
                #expect(after.characters != before.characters)
            }
        }

        @Test func animationsRunInTheTerminalsThatRunThem() async throws {
            let folder = try ScratchFolder()
            let file = try folder.write(try #require(flagGIF), to: "flag.gif")
            // Kitty has each frame with its time,
            let kitty = try await show(file, environment: ["TERM": "xterm-kitty"], answering: Self.answers)
            #expect(kitty.components(separatedBy: "a=f,").count == 3)
            #expect(kitty.contains("z=200,") && kitty.contains("z=300,") && kitty.contains("a=a,"))
            // iTerm2 the file as it is,
            let iTerm2 = try await show(
                file, environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], answering: "\u{1B}[?62c")
            #expect(iTerm2.contains(":\(try #require(flagGIF).base64EncodedString())\u{07}"))
            // and where nothing runs, the first frame stands still.
            let blocks = try await show(
                file, environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"], answering: "\u{1B}[?62c")
            #expect(blocks.contains("38;2;230;60;40"))
        }

        @Test func aTerminalThatDoesNotAnswerGetsHalfBlocksAndOneWithoutColoursText() async throws {
            let picture = Project.picture("tiles.webp")
            let silent = try await show(picture, environment: ["TERM": "xterm-256color"], answering: nil)
            #expect(silent.contains("▀"))
            let colorless = try await show(picture, environment: ["TERM": "xterm-256color", "NO_COLOR": "1"], answering: nil)
            #expect(colorless == "\(picture): 360x280 webp\n")
        }

        /// Everything that the command wrote, to its end.
        private func show(_ file: String, environment: [String: String], answering answer: String?) async throws -> String {
            let terminal = try PseudoTerminal()
            let time = answer == nil ? [:] : Self.waiting
            let command = try CommandProcess(["show", file], environment: environment.merging(time) { $1 }, on: terminal)
            if let answer {
                await terminal.wait { $0.contains(Terminal.query) }
                terminal.type(answer)
            }
            let run = try await command.end()
            #expect(run.ending == .status(0))
            return await terminal.all()
        }

        private static func screen(_ text: String) -> TerminalScreen {
            var screen = TerminalScreen(rows: 24)
            // The question is not a picture.
            screen.write(text.replacing(Terminal.query, with: ""))
            return screen
        }
    }
#endif
