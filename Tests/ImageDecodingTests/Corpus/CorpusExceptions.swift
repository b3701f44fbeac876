/// Valid files that are not shown as the reference has it, each with the defect of a library that is the reason.
enum CorpusExceptions {
    static let reasons: [String: String] = [:]
    static let animations: [String: String] = [:]
}
