internal import ProcessorParsing

/// The options of `convert` whose order counts. The argument parser does not report the order of options with different
/// names, so each of them becomes one value of the repeatable option `--step`.
enum StepOptions {
    /// The hidden option that all steps become: `--step blur=4`.
    static let name = "step"

    private static let options = Set(ProcessorList.names + ["size", "greyscale", "process"])

    /// A line of help for each step option that is one processor: `--blur radius`, `--sepia[=amount]`.
    static let usage: [String] = ProcessorList.usage.compactMap { line in
        let parts = line.split(separator: "(", maxSplits: 1)
        guard let name = parts.first, name != "crop" else { return nil }
        guard parts.count == 2 else { return "--\(name)" }
        let parameters = parts[1].dropLast()
        return ProcessorList.needsArguments(String(name)) ? "--\(name) \(parameters)" : "--\(name)[=\(parameters)]"
    }

    /// The arguments of `convert` with every step rewritten as `--step name=value`; the arguments of other commands
    /// unchanged.
    static func mergingSteps(in arguments: [String]) -> [String] {
        guard arguments.first == ConvertCommand.name else { return arguments }
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument != "--" else { return result + [argument] + rest }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard argument.hasPrefix("--"), let option = parts.first.map(String.init), options.contains(option) else {
                result.append(argument)
                continue
            }
            var value = parts.count == 2 ? String(parts[1]) : ""
            let needsValue = option == "process" || ProcessorList.needsArguments(processor(for: option))
            if parts.count == 1, needsValue, let next = rest.first, !next.hasPrefix("--") {
                value = next
                rest.removeFirst()
            }
            result += ["--\(name)", "\(option)=\(value)"]
        }
        return result
    }

    /// The processor of a step option, which has the same name or is listed here.
    static func processor(for option: String) -> String { ["size": "resize", "greyscale": "grayscale"][option] ?? option }
}
