internal import ArgumentParser
internal import CalotypeSystem
internal import ImageCore

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
            throw notUTF8(unsafe Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument))))
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

    private static func notUTF8(_ argument: [UInt8]) -> ValidationError {
        let isAbsolute = argument.first == UInt8(ascii: "/")
        let path = isAbsolute ? argument : Array((FileManager.default.currentDirectoryPath + "/").utf8) + argument
        let encoded = path.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 128 && (character.isLetter || character.isNumber || "/-._~".contains(character))
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return ValidationError(
            "'\(String(decoding: argument, as: UTF8.self))' is not valid UTF-8. Write a source as a URL with percent-encoded bytes: "
                + "file://\(encoded.joined())")
    }
}
