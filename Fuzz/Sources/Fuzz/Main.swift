import CFuzzDriver
import Foundation
import ImageDecoding

/// `Fuzz TARGET [ARGUMENT]...`. The arguments are libFuzzer's: files to run, or folders of a corpus.
@main
enum Main {
    // nonisolated(unsafe) because it is set once, before the loop starts on this thread.
    nonisolated(unsafe) static var target = FuzzTarget.metadata

    static func main() {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        guard CommandLine.arguments.count > 1, let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
            print("usage: Fuzz TARGET [ARGUMENT]..., where TARGET is one of \(names)")
            exit(64)
        }
        self.target = target
        var arguments = CommandLine.arguments
        arguments.remove(at: 1)
        var pointers = arguments.map { strdup($0) } + [nil]
        var count = Int32(arguments.count)
        pointers.withUnsafeMutableBufferPointer { buffer in
            var base = buffer.baseAddress
            exit(
                LLVMFuzzerRunDriver(&count, &base) { bytes, count in
                    Main.target.run(Data(UnsafeBufferPointer(start: bytes, count: count)))
                    return 0
                })
        }
    }
}
