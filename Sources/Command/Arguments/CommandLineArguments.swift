internal import ArgumentParser

/// The arguments of the process, with checks that the argument parser does not make.
enum CommandLineArguments {
    /// The arguments after the program's name.
    ///
    /// - Throws: `ValidationError` for an argument that is not UTF-8. Swift replaces its invalid bytes, so that it
    ///   would name another file.
    static func validated() throws(ValidationError) -> [String] {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = unsafe CommandLine.unsafeArgv[index], unsafe String(validatingCString: argument) == nil
            else { continue }
            throw ValidationError(
                "'\(unsafe String(cString: argument))' is not valid UTF-8. Write a source as a URL with percent-encoded bytes, such "
                    + "as file:///images/caf%E9.png.")
        }
        return Array(CommandLine.arguments.dropFirst())
    }

    /// Rejects an argument such as `-dash.png`, which the parser would read as the flags -d, -a, -s and -h, and print
    /// the help.
    ///
    /// - Throws: `ValidationError` that says how to name such a file.
    static func rejectCombinedFlags(in arguments: [String]) throws(ValidationError) {
        for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") && !argument.hasPrefix("--") {
            guard argument.dropFirst().prefix(while: { $0 != "=" }).count > 1 else { continue }
            throw ValidationError(
                "There is no option '\(argument)'. Write './\(argument)' to name a file, or put '--' before all names.")
        }
    }
}
