#if os(Linux)
    import ImageCore
    import ImageDecoding
    import ImageTargets
    import LoopbackHTTP
    import Testing

    import CalotypeSystem

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

        @Test(arguments: [[], ["--still"], ["--duration", "0"]]) func animationsPlayInPlaceUntilTheTimeIsOver(
            _ options: [String]
        ) async throws {
            let folder = try ScratchFolder()
            let file = try folder.write(try #require(flagGIF), to: "flag.gif")
            // The first frame, red, is shown for 0.1 seconds, and the second one, green, for 0.2 seconds.
            let text = try await show(
                file, options: options.isEmpty ? ["--duration", "0.15"] : options,
                environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"], answering: "\u{1B}[?62c")
            let screen = Self.screen(text)
            #expect(text.contains("38;2;230;60;40"))
            #expect(screen.characters[.init(row: 5, column: 1)] == (options.isEmpty ? "38;2;40;160;80" : "38;2;230;60;40"))
            #expect(screen.cursor == .init(row: 8, column: 0))
            #expect(text.contains("\u{1B}[?25l") == (options != ["--still"]))
            if options != ["--still"] { #expect(text.hasSuffix("\u{1B}[?25h")) }
        }

        /// Starts the command with an animation that repeats for ever, and returns in its second frame or later.
        private func playing(on terminal: PseudoTerminal, _ folder: ScratchFolder) async throws -> CommandProcess {
            let command = try CommandProcess(
                ["show", try folder.write(try #require(flagGIF), to: "flag.gif"), "--duration", "3600"],
                environment: Self.longTimeout.merging(["TERM": "linux"]) { $1 }, on: terminal)
            await terminal.wait { $0.components(separatedBy: "\u{1B}[8A").count > 2 }
            return command
        }

        @Test func anInterruptDuringAnAnimationLeavesTheTerminalAsItWas() async throws {
            let folder = try ScratchFolder()
            let terminal = try PseudoTerminal()
            let command = try await playing(on: terminal, folder)
            command.send(signal: SIGINT)
            // Then: the last frame is whole, the colours are reset, and the cursor is visible below the image.
            let run = try await command.end()
            #expect(run.ending == .signal(SIGINT))
            let text = await terminal.all()
            #expect(text.hasSuffix("\u{1B}[0m\n\r\u{1B}[J\u{1B}[?25h"))
            #expect(Self.screen(text).cursor == .init(row: 8, column: 0))
        }

        @Test func sixelsFitWhereOnlyTheSystemKnowsTheSizeOfTheWindow() async throws {
            // xterm as installed: cells of 6 × 13 pixels and a border of two.
            let terminal = try PseudoTerminal(pixels: (width: 80 * 6 + 4, height: 24 * 13 + 4))
            let command = try CommandProcess(
                ["show", Project.image("tiles.webp"), "--size", "10x5"],
                environment: Self.longTimeout.merging(["TERM": "xterm"]) { $1 }, on: terminal)
            await terminal.wait { $0.contains(Self.queryEnd) }
            terminal.type("\u{1B}[?63;1;2;4;6;9;15;16;22;28c")
            #expect(try await command.end().ending == .status(0))
            // 360 × 280 pixels in a box of 60 × 65.
            #expect(await terminal.all().contains("\"1;1;60;47#"))
        }

        @Test func sixelsAreNotLargerThanTheTerminalDrawsThem() async throws {
            let terminal = try PseudoTerminal(pixels: (width: 80 * 6 + 4, height: 24 * 13 + 4))
            let command = try CommandProcess(
                ["show", Project.image("tiles.webp")], environment: Self.longTimeout.merging(["TERM": "xterm"]) { $1 },
                on: terminal)
            await terminal.wait { $0.contains(Self.queryEnd) }
            terminal.type("\u{1B}[?2;0;90;200S\u{1B}[?63;1;2;4;6;9;15;16;22;28c")
            #expect(try await command.end().ending == .status(0))
            #expect(await terminal.all().contains("\"1;1;90;70#"))
        }

        @Test func gridsHaveAnEmptyRowBetweenRowsAndTheNamesBelowTheImages() async throws {
            let images = ["tiles.webp", "dunes.jpg", "arrow.jpg"].map(Project.image)
            let run = try await CommandProcess(
                ["show"] + images + ["--size", "8x4", "--columns", "2", "--as", "blocks", "--names"]
            ).end()
            #expect(run.status == 0)
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.filter(\.isEmpty).count == 2)
            #expect(lines.contains("tiles.we\r\u{1B}[9Cdunes.jp"))
            #expect(lines.suffix(2) == ["arrow.jp", ""])
        }

        @Test func aSilentTerminalGetsHalfBlocksAndOneWithoutColoursGetsText() async throws {
            let image = Project.image("tiles.webp")
            let silent = try await show(image, environment: ["TERM": "xterm-256color"], answering: nil)
            #expect(silent.contains("▀"))
            let colorless = try await show(image, environment: ["TERM": "xterm-256color", "NO_COLOR": "1"], answering: nil)
            #expect(colorless == "\(image): 360x280 webp\n")
        }

        /// Runs the command to its end and returns its output.
        private func show(
            _ file: String, options: [String] = [], environment: [String: String], answering answer: String?
        ) async throws -> String {
            let terminal = try PseudoTerminal()
            let time = answer == nil ? [:] : Self.longTimeout
            let command = try CommandProcess(
                ["show", file] + options, environment: environment.merging(time) { $1 }, on: terminal)
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
