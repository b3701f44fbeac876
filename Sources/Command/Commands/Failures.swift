internal import ImageCore

/// Failures of single sources: each is reported once, on its own line, and the other sources continue.
struct Failures {
    private(set) var count = 0

    /// Reports that a source failed.
    mutating func add(_ source: String, _ error: any Error) {
        count += 1
        Console.complain(about: source, Failures.sentence(error))
    }

    /// Ends the command with status 1 if anything failed.
    func throwIfAny() throws(ExitStatus) {
        if count > 0 { throw .failed }
    }

    /// What happened, without the source's name twice.
    static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as ImageError: error.description
        case let failure as LoadFailure: failure.description
        case is CancellationError: "The load was cancelled."
        default: "\(error)"
        }
    }
}
