#if os(Linux)
    import ImageCore
    import ImageDecoding
    import ImageTargets
    import LoopbackHTTP
    import Testing

    /// The tests are the terminal, and answer like kitty or iTerm2.
    @Suite("calotype show", .timeLimit(.minutes(1)))
    struct ShowTests {
        /// The answers of kitty to the command's query. The last one ends the query.
        private static let answers = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;16;8t\u{1B}]11;rgb:0000/0000/0000\u{1B}\\\u{1B}[?62c"

        /// The end of every query.
        private static let queryEnd = "\u{1B}[c"

        /// Gives the answers enough time on a busy machine.
        private static let longTimeout = ["CALOTYPE_TERMINAL_TIME": "60000"]

        /// Serves a file, and holds its second half back until the gate opens.
        private static func serveHalf(_ file: [UInt8], until gate: LoopbackServer.Gate) throws -> LoopbackServer {
            try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Content-Length", String(file.count))])
                try connection.write(Array(file[..<(file.count / 2)]))
                try connection.wait(for: gate)
                try connection.write(Array(file[(file.count / 2)...]))
            }
        }

        @Test(arguments: ["xterm-256color", "xterm-kitty"]) func previewsAreDrawnInPlaceWhileTheImageLoads(_ term: String)
            async throws
        {
            // Given: a server that holds the second half of a progressive JPEG back, and a terminal.
            let gate = try LoopbackServer.Gate()
            let server = try Self.serveHalf(Array(try Project.bytes(of: "dunes.jpg")), until: gate)
            defer { server.stop() }
            let terminal = try PseudoTerminal()
            let isKitty = term == "xterm-kitty"
            let command = try CommandProcess(
                ["show", server.url("/dunes.jpg"), "--size", "30x10"],
                environment: Self.longTimeout.merging(["TERM": term, "COLORTERM": "truecolor"]) { $1 }, on: terminal)
            await terminal.wait { $0.contains(Self.queryEnd) }
            terminal.type(isKitty ? Self.answers : "\u{1B}[?62c")
            // When: a preview is drawn completely, and then the rest of the file arrives.
            await terminal.wait { $0.contains(isKitty ? ",m=0;" : "▀") && Self.screen($0).cursor.row == 10 }
            let before = Self.screen(terminal.text)
            gate.open()
            let run = try await command.end()
            // Then: a different image is in the place of the preview, and nothing else was drawn.
            let after = Self.screen(await terminal.all())
            #expect(run.ending == .status(0))
            #expect(after.cursor == before.cursor)
            if isKitty {
                // After half a second, the second half is drawn as another preview first.
                #expect(before.drawings.count == 1 && after.drawings.count >= 2)
                #expect(after.drawings.allSatisfy { $0.position == .init(row: 0, column: 0) })
                #expect(after.drawings.first?.text != after.drawings.last?.text)
            } else {
                #expect(!before.characters.isEmpty && after.characters.keys == before.characters.keys)
                #expect(after.characters != before.characters)
            }
        }

        @Test func terminalsThatSupportAnimationsPlayThem() async throws {
            let folder = try ScratchFolder()
            let file = try folder.write(try #require(flagGIF), to: "flag.gif")
            // kitty gets each frame with its duration.
            let kitty = try await show(file, environment: ["TERM": "xterm-kitty"], answering: Self.answers)
            #expect(kitty.components(separatedBy: "a=f,").count == 3)
            #expect(kitty.contains("z=200,") && kitty.contains("z=300,") && kitty.contains("a=a,"))
            // iTerm2 gets the file.
            let iTerm2 = try await show(
                file, environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], answering: "\u{1B}[?62c")
            #expect(iTerm2.contains(":\(try #require(flagGIF).base64EncodedString())\u{07}"))
            // Half blocks show the first frame.
            let blocks = try await show(
                file, environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"], answering: "\u{1B}[?62c")
            #expect(blocks.contains("38;2;230;60;40"))
        }

        @Test func aSilentTerminalGetsHalfBlocksAndOneWithoutColoursGetsText() async throws {
            let image = Project.image("tiles.webp")
            let silent = try await show(image, environment: ["TERM": "xterm-256color"], answering: nil)
            #expect(silent.contains("▀"))
            let colorless = try await show(image, environment: ["TERM": "xterm-256color", "NO_COLOR": "1"], answering: nil)
            #expect(colorless == "\(image): 360x280 webp\n")
        }

        /// Runs the command to its end and returns its output.
        private func show(_ file: String, environment: [String: String], answering answer: String?) async throws -> String {
            let terminal = try PseudoTerminal()
            let time = answer == nil ? [:] : Self.longTimeout
            let command = try CommandProcess(["show", file], environment: environment.merging(time) { $1 }, on: terminal)
            if let answer {
                await terminal.wait { $0.contains(Self.queryEnd) }
                terminal.type(answer)
            }
            let run = try await command.end()
            #expect(run.ending == .status(0))
            return await terminal.all()
        }

        private static func screen(_ text: String) -> TerminalScreen {
            var screen = TerminalScreen(rows: 24)
            // The query draws nothing.
            let end = text.firstRange(of: queryEnd)?.upperBound ?? text.startIndex
            screen.write(String(text[end...]))
            return screen
        }
    }
#endif
