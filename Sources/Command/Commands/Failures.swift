internal import ImageCore

/// Reports the failures of single sources, one line each, while the other sources continue.
struct Failures {
    private var count = 0

    /// Reports that a source failed.
    mutating func report(_ error: any Error, source: String) {
        count += 1
        Console.printError(Failures.message(for: error), source: source)
    }

    /// - Throws: the exit status for a failure, if a source failed.
    func throwIfAny() throws(ExitStatus) {
        if count > 0 { throw .failed }
    }

    /// What happened, without the name of the source.
    static func message(for error: any Error) -> String {
        switch error {
        case let error as ImageError: error.description
        case let failure as LoadFailure: failure.description
        case is CancellationError: "The load was cancelled."
        default: "\(error)"
        }
    }
}
