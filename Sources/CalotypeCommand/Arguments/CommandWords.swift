internal import ArgumentParser

/// The words of the command line, with the mistakes that the argument parser does not see.
enum CommandWords {
    /// Refuses a word such as `-dash.png`: the parser takes it for the flags -d, -a, -s and -h, and prints the help.
    ///
    /// - Throws: `ValidationError` that says how to name such a file.
    static func checkFlags(_ words: [String]) throws(ValidationError) {
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") && !word.hasPrefix("--") {
            guard word.dropFirst().prefix(while: { $0 != "=" }).count > 1 else { continue }
            throw ValidationError("There is no option '\(word)'. Write './\(word)' to name a file, or put '--' before all names.")
        }
    }
}
