internal import Foundation

/// Writes progress to standard error.
enum Progress {
    private static let isWatched = isatty(STDERR_FILENO) == 1

    /// Writes a step when standard error is a terminal.
    static func show(_ step: String) {
        if isWatched { note(step) }
    }

    static func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
