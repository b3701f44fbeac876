import CGTK
import Calotype
import Foundation
import ImageTargetsGTK
import LabModel

/// `Lab [--screens FOLDER | --soak MINUTES]`
@main @MainActor enum Main {
    private static let help = """
        Lab: Calotype's laboratory, five screens on a server of its own.

        Usage: Lab                     open the window
               Lab --screens FOLDER    press every button, and write an image of each state to a folder
               Lab --soak MINUTES      do so again and again, and fail if memory grows

        Keys: Alt+1 to Alt+5 for the screens, Control+D for the dark theme, Control+Q to quit.
        """
    private static var window: LabWindow?

    /// Synchronous, since GLib's loop occupies the main thread.
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") { return print(help) }
        do {
            let drive = try Drive(arguments)
            guard gtk_init_check() != 0 else {
                throw UsageError(description: "There is no display. Start the lab in a graphical session.")
            }
            GTKMainLoop.attach()
            let lab = try Laboratory()
            closeOnInterrupt(lab)
            // Every start has its own window.
            let flags = GApplicationFlags(rawValue: 1 << 5)  // G_APPLICATION_NON_UNIQUE
            guard let application = gtk_application_new("org.example.CalotypeLab", flags) else { return }
            var status: Int32 = 0
            GTKSignals.connect(application, "activate") {
                let window = LabWindow(lab, application)
                self.window = window
                guard let drive else { return }
                Task {
                    status = await Driver(window, lab).run(drive) ? 0 : 1
                    gtk_window_close(window.window)
                }
            }
            let result = g_application_run(gtkCast(application), 0, nil)
            window = nil
            lab.close()
            exit(result == 0 ? status : result)
        } catch {
            FileHandle.standardError.write(Data("Lab: \(error)\n".utf8))
            exit(2)
        }
    }

    /// Removes the folder of the cache when Control+C or a signal ends the program.
    private static func closeOnInterrupt(_ lab: Laboratory) {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler {
                MainActor.assumeIsolated { lab.close() }
                exit(128 + number)
            }
            source.resume()
            interrupts.append(source)
        }
    }
    private static var interrupts: [any DispatchSourceSignal] = []
}

/// What to do without a user.
enum Drive {
    case screens(folder: URL)
    case soak(minutes: Double)

    /// `nil` if the arguments ask for no more than the window.
    init?(_ arguments: [String]) throws {
        if arguments.isEmpty { return nil }
        switch (arguments[0], arguments.dropFirst().first) {
        case ("--screens", let folder?) where arguments.count == 2: self = .screens(folder: URL(filePath: folder))
        case ("--soak", let minutes?) where arguments.count == 2 && Double(minutes).map { $0 > 0 } == true:
            self = .soak(minutes: Double(minutes) ?? 0)
        default:
            throw UsageError(description: "The arguments \(arguments.joined(separator: " ")) are wrong; see Lab --help.")
        }
    }
}

/// A mistake in the arguments.
struct UsageError: Error, CustomStringConvertible { let description: String }
