public import ImageCore

/// Processors written as text, for command lines and configuration files.
///
/// ```
/// resize(320x200,fill) blur(4) round(12)
/// ```
///
/// A list is names with arguments in parentheses, separated by spaces; a processor without arguments needs no
/// parentheses. Arguments are separated by commas; `name=value` sets one by name, in any order, and must come after
/// those without a name. A value in quotation marks may hold commas and parentheses. ``names`` lists the processors,
/// ``usage`` their parameters.
public enum ProcessorList {
    /// The processors that `text` names, in order.
    ///
    /// - Parameters:
    ///   - text: processors, such as `resize(320x200,fill) blur(4)`.
    ///   - image: returns the image that an `overlay` names; with `nil`, overlays are not allowed.
    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) that names the processor and argument at fault; what
    ///   `image` throws.
    public static func parse(
        _ text: String, image: ((_ name: String) throws -> DecodedImage)? = nil
    ) throws -> [any Processing] {
        var scanner = ProcessorScanner(text)
        var list: [any Processing] = []
        while let (name, values) = try scanner.next() {
            list.append(try make(name, values, defaults: [:], image: image))
        }
        return list
    }

    /// Returns a processor by its name and the text between its parentheses.
    ///
    /// - Parameters:
    ///   - name: the name of the processor, such as `resize`.
    ///   - arguments: as in a list, such as `320x200,fill`.
    ///   - defaults: default values by parameter, which replace the usual ones. Those of other processors have no
    ///     effect.
    ///   - image: returns the image that an `overlay` names; with `nil`, overlays are not allowed.
    /// - Throws: as ``parse(_:image:)``.
    public static func processor(
        _ name: String, _ arguments: String, defaults: [String: String] = [:],
        image: ((_ name: String) throws -> DecodedImage)? = nil
    ) throws -> any Processing {
        try make(name, ProcessorScanner.values(arguments[...]), defaults: defaults, image: image)
    }

    /// Whether a processor has a parameter without a default, so that its name alone is not enough.
    public static func needsArguments(_ name: String) -> Bool {
        ProcessorCatalog.entries.first { $0.name == name }?.parameters.first.map { !$0.contains("=") } ?? false
    }

    private static func make(
        _ name: String, _ values: [ProcessorScanner.Value], defaults: [String: String],
        image: ((_ name: String) throws -> DecodedImage)?
    ) throws -> any Processing {
        guard let entry = ProcessorCatalog.entries.first(where: { $0.name == name }) else {
            throw ImageError(
                .invalidRequest,
                message: "There is no processor named \"\(name)\". The processors are \(names.joined(separator: ", ")).")
        }
        let parameters = entry.parameters.map { parameter in
            let name = String(parameter.prefix { $0 != "=" })
            return defaults[name].map { "\(name)=\($0)" } ?? parameter
        }
        return try entry.make(ProcessorArguments(of: entry.name, parameters: parameters, values: values, image: image))
    }

    /// The processors that can be written, in alphabetical order.
    public static var names: [String] { ProcessorCatalog.entries.map(\.name).sorted() }

    /// One line per processor: its name, parameters and defaults.
    public static var usage: [String] {
        ProcessorCatalog.entries.map { entry in
            entry.parameters.isEmpty ? entry.name : "\(entry.name)(\(entry.parameters.joined(separator: ",")))"
        }
    }
}
