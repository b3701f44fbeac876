internal import ArgumentParser
internal import CCalotypeHeap
internal import CalotypeSystem
internal import ImageCore

/// The entry point: parses the arguments, runs the command and maps each outcome to an exit status that scripts rely
/// on.
///
/// 0: success. 1: something failed, and standard error has one line for each failure. 2: wrong usage.
@main
enum Main {
    static func main() async {
        // A broken pipe, and a file that reaches the size limit of the process, become failed writes.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        Console.openClosedDescriptors()
        // Each failure is one line, which the command writes to the descriptor itself.
        clt_silence_libraries()
        do {
            let arguments = StepOptions.mergingSteps(in: try CommandLineArguments.validated())
            requireDescriptors()
            try CommandLineArguments.rejectCombinedFlags(in: arguments)
            var command = try RootCommand.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Ends the command when it can open hardly any file. Swift's run-time library traps when it finds no descriptor
    /// for its event loop, or to see whether its threads run.
    private static func requireDescriptors() {
        let descriptors = (0..<16).map { _ in unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for descriptor in descriptors where descriptor >= 0 { _ = close(descriptor) }
        guard descriptors.contains(-1) else { return }
        Console.printError("The process can open too few files. Raise the limit, for example with 'ulimit -n 64'.")
        exitProcess(.failed)
    }

    private static func end(with error: any Error) -> Never {
        if let status = error as? ExitStatus { exitProcess(status) }
        if error is CancellationError { exitProcess(.failed) }
        switch RootCommand.exitCode(for: error) {
        case .success:
            // The help or the version, which the argument parser throws too.
            Console.print(RootCommand.fullMessage(for: error))
            exitProcess(.succeeded)
        case .validationFailure:
            let message = RootCommand.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
            Console.printError(message + (message.hasSuffix(".") ? "" : ".") + " Run with --help for the usage.")
            exitProcess(.wrongUsage)
        default:
            Console.printError("\(error)")
            exitProcess(.failed)
        }
    }
}

/// How the process ends. A command throws it after it has reported the failure.
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
            A SOURCE is a path or a URL (http, https, file, data). Write a file name that begins with a dash as ./-name, or put \
            -- before all names. Write a file name that is not UTF-8 as a file URL with percent-encoded bytes. Exit status: 0 for \
            success, 1 when something failed (one line on standard error for each failure), 2 for wrong usage.

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
