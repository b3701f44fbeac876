internal import Foundation

/// Writes a line of the report without buffering, in files and pipes too.
func report(_ words: String...) {
    FileHandle.standardOutput.write(Data("storm: \(words.joined(separator: " "))\n".utf8))
}
