internal import ArgumentParser
internal import CCalotypeHeap
internal import ImageCore

internal import CalotypeSystem

/// The command's entry: parses, runs, and turns every ending into the exit status that scripts rely on.
///
/// 0: all went well. 1: something failed, and standard error says what, one line each. 2: wrong usage.
@main
enum Main {
    static func main() async {
        // A broken pipe, and a file that reaches the size limit of the process, become failed writes.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        Console.fillClosedDescriptors()
        // Each failure is one line, which the command writes to the descriptor.
        calotype_silence_libraries()
        do {
            let words = try CommandWords.all()
            checkDescriptors()
            let ordered = ProcessorFlags.ordered(words)
            try CommandWords.checkFlags(ordered)
            var command = try RootCommand.parseAsRoot(ordered)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Ends the command when hardly any file can be opened: Swift's run-time library traps where it finds no descriptor for the events
    /// that it waits for.
    private static func checkDescriptors() {
        let opened = (0..<5).map { _ in unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for descriptor in opened where descriptor >= 0 { _ = close(descriptor) }
        guard opened.contains(-1) else { return }
        Console.complain("The process may open too few files; raise the limit, as by ulimit -n 64.")
        exitProcess(.failed)
    }

    private static func end(with error: any Error) -> Never {
        if let status = error as? ExitStatus { exitProcess(status) }
        if error is CancellationError { exitProcess(.failed) }
        let code = RootCommand.exitCode(for: error)
        if code == .success {
            // Help, or the version: what was asked for.
            Console.print(RootCommand.fullMessage(for: error))
            exitProcess(.succeeded)
        }
        guard code == .validationFailure else {
            Console.complain("\(error)")
            exitProcess(.failed)
        }
        Console.complain(oneLine(RootCommand.message(for: error)) + " Run with --help for the usage.")
        exitProcess(.wrongUsage)
    }

    private static func oneLine(_ message: String) -> String {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.hasSuffix(".") ? line : line + "."
    }
}

/// How the process ends.
enum ExitStatus: Int32, Error {
    case succeeded = 0
    case failed = 1
    case wrongUsage = 2
}

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calotype",
        abstract: "Loads, shows and converts images.",
        discussion: """
            A SOURCE is a path or a URL (http, https, file, data). A name that begins with a dash is written as ./-name, or \
            stands after --; one that is not UTF-8 as a file URL with percent-encoded bytes. Exit status: 0 when all went well, 1 when something \
            failed (each failure is one line on standard error), 2 for wrong usage.

            Examples:
              calotype demo
              calotype info photo.jpg --json
              calotype convert https://example.org/photo.avif thumbnail.png --size 320x240
              calotype load a.jpg b.webp -o out --size 200x200 --mode fill
            """,
        version: "0.1.0",
        subcommands: [
            InfoCommand.self, ConvertCommand.self, LoadCommand.self, ShowCommand.self, CacheCommand.self, DemoCommand.self,
        ]
    )
}
