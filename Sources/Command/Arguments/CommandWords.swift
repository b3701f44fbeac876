internal import ArgumentParser
internal import CalotypeSystem
internal import ImageCore

/// The words of the command line, with the mistakes that the argument parser does not see.
enum CommandWords {
    /// The words after the program's name.
    ///
    /// - Throws: `ValidationError` for a word that is not UTF-8. Swift repairs such a word, and the repaired name is another file's.
    static func all() throws(ValidationError) -> [String] {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = unsafe CommandLine.unsafeArgv[index], unsafe String(validatingCString: word) == nil else { continue }
            throw notUTF8(unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        }
        return Array(CommandLine.arguments.dropFirst())
    }

    /// Refuses a word such as `-dash.png`: the parser takes it for the flags -d, -a, -s and -h, and prints the help.
    ///
    /// - Throws: `ValidationError` that says how to name such a file.
    static func checkFlags(_ words: [String]) throws(ValidationError) {
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") && !word.hasPrefix("--") {
            guard word.dropFirst().prefix(while: { $0 != "=" }).count > 1 else { continue }
            throw ValidationError("There is no option '\(word)'. Write './\(word)' to name a file, or put '--' before all names.")
        }
    }

    private static func notUTF8(_ word: [UInt8]) -> ValidationError {
        let folder = word.first == UInt8(ascii: "/") ? [] : Array((FileManager.default.currentDirectoryPath + "/").utf8)
        let encoded = (folder + word).map { byte in
            let isPlain = byte.isASCIIAlphanumeric || "/-._~".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return ValidationError(
            "'\(String(decoding: word, as: UTF8.self))' is not valid UTF-8. Write a source as a URL with percent-encoded bytes: "
                + "file://\(encoded.joined())")
    }
}

extension UInt8 {
    fileprivate var isASCIIAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
