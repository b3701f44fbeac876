public import ImageCore

/// Processors written as text, for command lines and configuration files.
///
/// ```
/// resize(320x200,fill) blur(4) round(12)
/// ```
///
/// A list is names with arguments in parentheses, separated by spaces; a processor without arguments needs no
/// parentheses. Arguments are separated by commas; `name=value` sets one by name, in any order, and must come after those
/// without a name. ``names`` lists what there is, ``usage`` how each is written.
public enum ProcessorList {
    /// The processors that `text` names, in order.
    ///
    /// - Parameter image: gives the picture that an `overlay` names; `nil` refuses overlays.
    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) that names the processor and argument at fault; what `image`
    ///   throws.
    public static func parse(
        _ text: String, image: ((_ name: String) throws -> DecodedImage)? = nil
    ) throws -> [any Processing] {
        var scanner = ProcessorScanner(text)
        var list: [any Processing] = []
        while let (name, values) = try scanner.next() {
            guard let entry = ProcessorCatalog.entries.first(where: { $0.name == name }) else {
                throw ImageError(
                    .invalidRequest,
                    message: "There is no processor named \"\(name)\"; there are \(names.joined(separator: ", ")).")
            }
            var arguments = try ProcessorArguments(of: entry.name, parameters: entry.parameters, values: values, image: image)
            list.append(try entry.make(&arguments))
        }
        return list
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
