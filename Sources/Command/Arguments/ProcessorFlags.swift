internal import ArgumentParser
internal import ImageProcessing

/// The steps of `convert` as they stand on the command line: options whose order counts. The argument parser knows no order
/// among options of different names, so they become one option that is given several times.
enum ProcessorFlags {
    /// The option that all steps become: `--step blur=4`.
    static let stepOption = "step"

    /// Steps by option, with the processor that each runs; `nil` where it is more than one processor's work.
    private static let processors: [String: String?] = {
        var steps: [String: String?] = Dictionary(uniqueKeysWithValues: ProcessorList.names.map { ($0, $0) })
        steps["greyscale"] = "grayscale"
        for name in ["size", "crop", "process"] { steps.updateValue(nil, forKey: name) }
        return steps
    }()

    /// A line for each step that is one processor's: `--blur radius`, `--sepia[=amount]`.
    static let usage: [String] = ProcessorList.usage.compactMap { line in
        let parts = line.split(separator: "(", maxSplits: 1)
        guard let name = parts.first, name != "crop" else { return nil }
        guard parts.count == 2 else { return "--\(name)" }
        let parameters = parts[1].dropLast()
        return ProcessorList.needsArguments(String(name)) ? "--\(name) \(parameters)" : "--\(name)[=\(parameters)]"
    }

    /// The arguments of `convert` with every step written as `--step name=value`; those of other commands as they are.
    static func ordered(_ arguments: [String]) -> [String] {
        guard arguments.first == ConvertCommand.name else { return arguments }
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument != "--" else { return result + [argument] + rest }
            guard argument.hasPrefix("--") else {
                result.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = parts.first.map(String.init), let processor = processors[option] else {
                result.append(argument)
                continue
            }
            var value = parts.count == 2 ? String(parts[1]) : ""
            if parts.count == 1, processor.map({ ProcessorList.needsArguments($0) }) ?? true, let next = rest.first,
                !next.hasPrefix("--")
            {
                value = next
                rest.removeFirst()
            }
            result += ["--\(stepOption)", "\(option)=\(value)"]
        }
        return result
    }

    /// The processor of a step's option.
    static func processor(of option: String) -> String { processors[option].flatMap { $0 } ?? option }
}
