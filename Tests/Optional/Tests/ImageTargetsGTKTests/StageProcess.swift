import Foundation
import Testing

/// A program with a window, by default `GTKStage`, in a separate X server, and input to that server's pointer and
/// keyboard.
final class StageProcess {
    private let server = Process()
    private let windowManager = Process()
    private let program = Process()
    private let standardInput = Pipe()
    private let standardOutput = Pipe()
    private let folder: URL
    private let display: String
    private var buffer = Data()
    /// Whether the program closed its output.
    private var isAtEnd = false

    /// The place of a program that was built with the tests.
    static func program(_ name: String) throws -> URL {
        try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: name)
    }

    /// Starts `GTKStage`.
    ///
    /// - Parameters:
    ///   - scenario: the name of a scenario.
    ///   - scale: the number of device pixels per application pixel.
    convenience init(_ scenario: String, scale: Int = 1) throws {
        try self.init(StageProcess.program("GTKStage"), [scenario], screen: (960, 720), scale: scale)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: the program.
    ///   - arguments: its arguments.
    ///   - screen: the size of the server's only screen, in pixels.
    ///   - scale: the number of device pixels per application pixel.
    ///   - isManaged: whether a window manager runs, which a window needs to fill the screen; `false` by default.
    init(
        _ executable: URL, _ arguments: [String], screen: (width: Int, height: Int), scale: Int = 1, isManaged: Bool = false
    ) throws {
        // Writing to a program that has ended returns an error instead of ending this process.
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
        // Xvfb writes the number of its display when it is ready.
        let text = try #require(String(data: number.fileHandleForReading.availableData, encoding: .utf8))
        display = ":" + text.trimmingCharacters(in: .whitespacesAndNewlines)
        if isManaged { try startWindowManager() }
        program.executableURL = executable
        program.arguments = arguments
        // GTK draws in software, and without the accessibility bus, which a container does not have.
        program.environment = ProcessInfo.processInfo.environment.merging([
            "DISPLAY": display, "GDK_BACKEND": "x11", "GDK_SCALE": "\(scale)", "GSK_RENDERER": "cairo", "GTK_A11Y": "none",
            "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local", "GSETTINGS_BACKEND": "memory",
        ]) { $1 }
        program.standardInput = standardInput
        program.standardOutput = standardOutput
        try program.run()
        // The program must have the only write end of the pipe. Otherwise reading would not end with the program.
        try standardOutput.fileHandleForWriting.close()
    }

    private func startWindowManager() throws {
        windowManager.executableURL = URL(filePath: "/usr/bin/env")
        let ready = folder.appending(path: "managed").path
        windowManager.arguments = ["openbox", "--sm-disable", "--startup", "touch \(ready)"]
        windowManager.environment = ProcessInfo.processInfo.environment.merging(
            ["DISPLAY": display, "HOME": folder.path, "XDG_CACHE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path]) { $1 }
        (windowManager.standardOutput, windowManager.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try windowManager.run()
        let end = ContinuousClock.now + .seconds(10)
        while !FileManager.default.fileExists(atPath: ready) {
            try #require(windowManager.isRunning && ContinuousClock.now < end, "openbox did not start.")
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Reads a line of output. `nil` if the program ended or no line came within the time limit.
    ///
    /// - Parameter milliseconds: the time limit; without one by default.
    func readLine(within milliseconds: Int32 = -1) -> String? {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var state = pollfd(fd: standardOutput.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&state, 1, milliseconds) > 0 else { return nil }
            let more = standardOutput.fileHandleForReading.availableData
            isAtEnd = more.isEmpty
            guard !isAtEnd else { return nil }
            buffer.append(more)
        }
    }

    var isRunning: Bool { program.isRunning }

    /// The exit status after all output was read. `nil` if the program has not closed its output, or a signal ended it.
    func exitStatus() -> Int32? {
        guard isAtEnd else { return nil }
        program.waitUntilExit()
        return program.terminationReason == .exit ? program.terminationStatus : nil
    }

    /// Sends a command to the program. If the program has ended, the test fails when it reads the answer.
    func send(_ line: String) { try? standardInput.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Moves the pointer and presses keys and buttons through the X server (XTEST). Returns when all events are sent.
    ///
    /// - Parameter commands: commands of xdotool.
    func input(_ commands: String...) throws {
        let xdotool = Process()
        xdotool.executableURL = URL(filePath: "/usr/bin/env")
        xdotool.arguments = ["xdotool"] + commands.flatMap { $0.split(separator: " ").map(String.init) }
        xdotool.environment = ProcessInfo.processInfo.environment.merging(["DISPLAY": display]) { $1 }
        try xdotool.run()
        xdotool.waitUntilExit()
        try #require(xdotool.terminationStatus == 0)
    }

    /// Takes a screenshot.
    func screen() throws -> Screen { try Screen(Data(contentsOf: folder.appending(path: "Xvfb_screen0"))) }

    func end() {
        // An X server may take minutes to end after its last client. Therefore it is killed.
        for process in [program, windowManager, server] where process.isRunning {
            _ = kill(process.processIdentifier, SIGKILL)
        }
        try? FileManager.default.removeItem(at: folder)
    }
}
