#if GTK
    import Foundation
    import Glibc
    import ImageCore
    import ImageDecoding
    import Testing

    /// A real window under Xvfb, looked at from outside.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct Windows {
        @Test func theGTKAdapterKeepsTheRulesOfAdaptersAndFades() throws {
            let stage = try StageProcess("conformance")
            defer { stage.end() }
            var lines: [String] = []
            while let line = stage.readLine() { lines.append(line) }
            #expect(lines == ["PASS conformance", "PASS fade", "PASS motion"])
        }

        @Test func everyCellAtRestShowsItsOwnPictureHoweverTheGridWasScrolled() throws {
            let stage = try StageProcess("scroll")
            defer { stage.end() }
            var rests: [String] = []
            var seen: Set<Int> = []
            var passed = false
            while let line = stage.readLine() {
                let words = line.split(separator: " ").map(String.init)
                switch words.first {
                case "REST":
                    let screen = try stage.screen()
                    rests.append(words[1])
                    let cells = words[4].split(separator: ";").map { $0.split(separator: ",").compactMap { Int($0) } }
                    #expect(cells.count >= 40)
                    // The window holds some 60 cells; GTK keeps a few rows more, however many there are in all.
                    #expect(try #require(Int(words[2])) < 400)
                    #expect(try #require(Int(words[3])) < 400_000_000)
                    for cell in cells {
                        seen.insert(cell[0])
                        let wrong = screen.pixelsThatDiffer(from: cell[0], x: cell[1], y: cell[2])
                        #expect(wrong == 0, "At rest \(words[1]), cell \(cell[0]) has \(wrong) wrong pixels.")
                    }
                    if ["start", "jump1"].contains(words[1]) { try screen.keep(as: "gtk-\(words[1])") }
                    stage.goOn()
                case "LOADS":
                    print("GTK:", line)
                    #expect(words[1] == "offscreen=0")
                case "FRAMES":
                    print("GTK:", line)
                    let ours = try #require(Int(words[4].filter(\.isNumber)))
                    #expect(ours < 16_000, "One turn of this framework's work held the loop for \(ours) µs.")
                case "PASS": passed = true
                default: Issue.record("The stage said: \(line)")
                }
            }
            #expect(passed)
            #expect(rests == ["start", "end", "back", "jump0", "jump1", "jump2", "jump3", "jump4"])
            #expect(seen.contains(0) && seen.contains(1_999))
        }
    }

    /// What is on the screen, as Xvfb keeps it: an XWD file (X11/XWDFile.h), big-endian words, then rows of BGRX.
    private struct Screen {
        private let data: Data
        private let start: Int
        private let bytesPerRow: Int
        private let width: Int
        private let height: Int

        init(_ data: Data) throws {
            func word(_ index: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(data[index * 4 + $1]) } }
            self.data = data
            (width, height, bytesPerRow) = (word(4), word(5), word(12))
            start = word(0) + word(19) * 12
            try #require(word(11) == 32 && word(7) == 0 && data.count >= start + bytesPerRow * height)
        }

        private func pixel(_ x: Int, _ y: Int) -> [Int] {
            let at = start + y * bytesPerRow + x * 4
            return [Int(data[at + 2]), Int(data[at + 1]), Int(data[at])]
        }

        /// Of the part that is on screen, how many pixels are not those of the picture with that number.
        func pixelsThatDiffer(from number: Int, x left: Int, y top: Int) -> Int {
            var wrong = 0
            // The window is 960 by 720.
            for y in 0..<96 where (0..<min(height, 720)).contains(top + y) {
                for x in 0..<96 where (0..<min(width, 960)).contains(left + x) {
                    // Where quarters meet, scaling blends them.
                    guard !(44..<52).contains(x), !(44..<52).contains(y) else { continue }
                    // The scroll bar lies over the right edge.
                    guard left + x < 940 else { continue }
                    let quarter = (y >= 48 ? 2 : 0) + (x >= 48 ? 1 : 0)
                    if pixel(left + x, top + y) != [number % 256, number / 256 * 31, quarter * 80] { wrong += 1 }
                }
            }
            return wrong
        }

        /// Writes it as a PNG beside the other artefacts of the build.
        func keep(as name: String) throws {
            let bitmap = try unsafe Bitmap(size: PixelSize(width: width, height: height), format: .rgba8, alpha: .opaque) {
                pixels, row in
                for y in 0..<height {
                    for x in 0..<width {
                        for (index, value) in (pixel(x, y) + [255]).enumerated() {
                            unsafe pixels[y * row + x * 4 + index] = UInt8(value)
                        }
                    }
                }
            }
            let folder = URL(filePath: ".build/artifacts")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try EncoderRegistry().encode(DecodedImage(bitmap), as: .png, options: EncodeOptions())
                .write(to: folder.appending(path: "\(name).png"))
        }
    }

    /// The stage in an X server of its own.
    private final class StageProcess {
        private let server = Process()
        private let stage = Process()
        private let input = Pipe()
        private let output = Pipe()
        private let folder: URL
        private var buffer = Data()

        init(_ act: String) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let display = Pipe()
            server.executableURL = URL(filePath: "/usr/bin/env")
            server.arguments = [
                "Xvfb", "-displayfd", "1", "-screen", "0", "960x720x24", "-nolisten", "tcp", "-fbdir", folder.path,
            ]
            server.standardOutput = display
            server.standardError = FileHandle.nullDevice
            try server.run()
            // Xvfb writes the number of its display once it can be used.
            let number = try #require(String(data: display.fileHandleForReading.availableData, encoding: .utf8))
            stage.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "GTKStage")
            stage.arguments = [act]
            // Drawn by the processor, and without the accessibility bus, which a bare machine does not have.
            stage.environment = ProcessInfo.processInfo.environment.merging([
                "DISPLAY": ":" + number.trimmingCharacters(in: .whitespacesAndNewlines), "GDK_BACKEND": "x11",
                "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local",
                "GSETTINGS_BACKEND": "memory",
            ]) { $1 }
            stage.standardInput = input
            stage.standardOutput = output
            try stage.run()
            // The end that the stage has must be the only one, or its end is not seen.
            try output.fileHandleForWriting.close()
        }

        func readLine() -> String? {
            while true {
                if let end = buffer.firstIndex(of: 10) {
                    defer { buffer.removeSubrange(...end) }
                    return String(decoding: buffer[..<end], as: UTF8.self)
                }
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { return nil }
                buffer.append(more)
            }
        }

        func goOn() { input.fileHandleForWriting.write(Data("go\n".utf8)) }

        func screen() throws -> Screen { try Screen(Data(contentsOf: folder.appending(path: "Xvfb_screen0"))) }

        func end() {
            // Not asked politely, and not waited for: an X server may keep its last client's place for minutes.
            for process in [stage, server] where process.isRunning { _ = kill(process.processIdentifier, SIGKILL) }
            try? FileManager.default.removeItem(at: folder)
        }
    }
#endif
