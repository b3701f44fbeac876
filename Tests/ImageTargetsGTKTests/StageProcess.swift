#if GTK
    import Foundation
    import CalotypeSystem
    import Testing

    /// A program with a window, the stage mostly, in an X server of its own, and hands on that server's pointer and keyboard.
    final class StageProcess {
        private let server = Process()
        private let stage = Process()
        private let input = Pipe()
        private let output = Pipe()
        private let folder: URL
        private let display: String
        private var buffer = Data()
        /// Whether the program has closed its output.
        private var isAtEnd = false

        /// - Parameter scale: device pixels to one of the application's.
        convenience init(_ act: String, scale: Int = 1) throws {
            let folder = try #require(Bundle.main.executableURL).deletingLastPathComponent()
            try self.init(folder.appending(path: "GTKStage"), [act], screen: (960, 720), scale: scale)
        }

        /// - Parameter screen: the size of the server's only screen, in pixels.
        init(_ program: URL, _ arguments: [String], screen: (width: Int, height: Int), scale: Int = 1) throws {
            // Writing to a stage that has died is an error, not this process's end.
            _ = signal(SIGPIPE, SIG_IGN)
            folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let number = Pipe()
            server.executableURL = URL(filePath: "/usr/bin/env")
            server.arguments = [
                "Xvfb", "-displayfd", "1", "-screen", "0", "\(screen.width)x\(screen.height)x24", "-nolisten", "tcp", "-fbdir",
                folder.path,
            ]
            server.standardOutput = number
            server.standardError = FileHandle.nullDevice
            try server.run()
            // Xvfb writes the number of its display once it can be used.
            let text = try #require(String(data: number.fileHandleForReading.availableData, encoding: .utf8))
            display = ":" + text.trimmingCharacters(in: .whitespacesAndNewlines)
            stage.executableURL = program
            stage.arguments = arguments
            // Drawn by the processor, and without the accessibility bus, which a bare machine does not have.
            stage.environment = ProcessInfo.processInfo.environment.merging([
                "DISPLAY": display, "GDK_BACKEND": "x11", "GDK_SCALE": "\(scale)", "GSK_RENDERER": "cairo", "GTK_A11Y": "none",
                "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local", "GSETTINGS_BACKEND": "memory",
            ]) { $1 }
            stage.standardInput = input
            stage.standardOutput = output
            try stage.run()
            // The end that the stage has must be the only one, or its end is not seen.
            try output.fileHandleForWriting.close()
        }

        /// `nil` when the program has ended, or when no line has come within so many milliseconds; without a limit it waits.
        func readLine(within milliseconds: Int32 = -1) -> String? {
            while true {
                if let end = buffer.firstIndex(of: 10) {
                    defer { buffer.removeSubrange(...end) }
                    return String(decoding: buffer[..<end], as: UTF8.self)
                }
                var state = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&state, 1, milliseconds) > 0 else { return nil }
                let more = output.fileHandleForReading.availableData
                isAtEnd = more.isEmpty
                guard !isAtEnd else { return nil }
                buffer.append(more)
            }
        }

        var isRunning: Bool { stage.isRunning }

        /// Of a program that was read to its end; `nil` while it goes on, or where something ended it.
        func exitStatus() -> Int32? {
            guard isAtEnd else { return nil }
            stage.waitUntilExit()
            return stage.terminationReason == .exit ? stage.terminationStatus : nil
        }

        /// One that has ended already hears nothing; that its answer is missing is the test's to find.
        func order(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

        /// Presses and turns, by the server's own means (XTEST), as if by hand; returns when all were sent.
        func act(_ commands: String...) throws {
            let hand = Process()
            hand.executableURL = URL(filePath: "/usr/bin/env")
            hand.arguments = ["xdotool"] + commands.flatMap { $0.split(separator: " ").map(String.init) }
            hand.environment = ProcessInfo.processInfo.environment.merging(["DISPLAY": display]) { $1 }
            try hand.run()
            hand.waitUntilExit()
            try #require(hand.terminationStatus == 0)
        }

        func screen() throws -> Screen { try Screen(Data(contentsOf: folder.appending(path: "Xvfb_screen0"))) }

        func end() {
            // Not asked politely, and not waited for: an X server may keep its last client's place for minutes.
            for process in [stage, server] where process.isRunning { _ = kill(process.processIdentifier, SIGKILL) }
            try? FileManager.default.removeItem(at: folder)
        }
    }
#endif
