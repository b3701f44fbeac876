import Calotype

/// A row of the form of options: how one option is read from a layer as text, and set by text.
package struct OptionField: Sendable {
    package let name: String
    /// The unit of the text; `nil` for none.
    package let unit: String?
    /// The texts to choose from; empty for an option whose text is typed.
    package let choices: [String]
    /// Where the option is in ``LoadOptions``.
    package let path: any PartialKeyPath<LoadOptions> & Sendable
    /// The text of the option in a layer; `nil` for one that the layer inherits.
    package let text: @Sendable (OptionLayer) -> String?
    /// The text of the option in merged options.
    package let merged: @Sendable (LoadOptions) -> String
    private let write: @Sendable (inout OptionLayer, String?) -> Bool

    /// Sets the option in a layer, or inherits it for an empty text.
    ///
    /// - Returns: whether the text is a value of the option. The layer does not change otherwise.
    package func set(_ text: String, in layer: inout OptionLayer) -> Bool { write(&layer, text.isEmpty ? nil : text) }

    /// The fields of all options that a form can edit.
    package static let all = OptionDescription.all.compactMap(field)

    /// The names of the options that only code can set, such as processors.
    package static let withoutEditor = OptionDescription.all.filter { field($0) == nil }.map(\.name)

    private static func field(_ option: OptionDescription) -> OptionField? {
        let number: @Sendable (String) -> Int? = { Int($0) }
        let time: @Sendable (String) -> Duration? = { text in Double(text).map { Duration.seconds($0) } }
        let seconds: @Sendable (Duration) -> String = { "\($0 / .seconds(1))" }
        let text: @Sendable (String) -> String? = { $0 }
        let fields: [OptionField?] = [
            boolean(option), cachePolicy(option), choice(option, CachePriority.self), choice(option, DiskStorage.self),
            choice(option, LoadPriority.self), choice(option, ImageContentMode.self), alphaMode(option),
            choice(option, PreviewPolicy.self), choice(option, OffScreenPolicy.self),
            typed(option, option.unit, number) { "\($0)" }, typed(option, "seconds", time, seconds),
            optional(option, option.unit, number) { "\($0)" }, optional(option, "seconds", time, seconds),
            optional(option, "W×H", size) { "\($0.width)×\($0.height)" }, optional(option, nil, text) { $0 },
        ]
        return fields.compactMap(\.self).first
    }

    private static func boolean(_ option: OptionDescription) -> OptionField? {
        typed(option, nil, { $0 == "yes" }, { (value: Bool) in value ? "yes" : "no" }, choices: ["yes", "no"])
    }

    private static func choice<Value: CaseIterable & Sendable>(_ option: OptionDescription, _: Value.Type) -> OptionField? {
        typed(
            option, nil, { text in Value.allCases.first { "\($0)" == text } }, { (value: Value) in "\(value)" },
            choices: Value.allCases.map { "\($0)" })
    }

    private static func alphaMode(_ option: OptionDescription) -> OptionField? {
        typed(
            option, nil, { AlphaMode(rawValue: $0) }, { (value: AlphaMode) in value.rawValue },
            choices: [AlphaMode.premultiplied, .straight, .opaque].map(\.rawValue))
    }

    private static func cachePolicy(_ option: OptionDescription) -> OptionField? {
        let all: [(name: String, policy: CachePolicy)] = [
            ("memoryAndDisk", .memoryAndDisk), ("memoryOnly", .memoryOnly), ("diskOnly", .diskOnly), ("noCache", .noCache),
            ("reload", .reload), ("revalidate", .revalidate), ("cacheOnly", .cacheOnly),
        ]
        return typed(
            option, nil, { text in all.first { $0.name == text }?.policy },
            { (value: CachePolicy) in all.first { $0.policy == value }?.name ?? "\(value.rawValue)" }, choices: all.map(\.name))
    }

    private static func size(_ text: String) -> PixelSize? {
        let sides = text.split { "x×".contains($0) }.map { Int($0.filter { $0 != " " }) }
        guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
        return PixelSize(width: width, height: height)
    }

    private static func typed<Value: Sendable>(
        _ option: OptionDescription, _ unit: String?, _ parse: @escaping @Sendable (String) -> Value?,
        _ print: @escaping @Sendable (Value) -> String, choices: [String] = []
    ) -> OptionField? {
        guard let path = option.writablePath(to: Value.self) else { return nil }
        return OptionField(
            name: option.name, unit: unit, choices: choices, path: option.path,
            text: { $0[dynamicMember: path].map(print) }, merged: { print($0[keyPath: path]) },
            write: { layer, text in
                let value = text.flatMap(parse)
                guard text == nil || value != nil else { return false }
                layer[dynamicMember: path] = value
                return true
            })
    }

    private static func optional<Value: Sendable>(
        _ option: OptionDescription, _ unit: String?, _ parse: @escaping @Sendable (String) -> Value?,
        _ print: @escaping @Sendable (Value) -> String
    ) -> OptionField? {
        guard let path = option.writablePath(to: Value?.self) else { return nil }
        return OptionField(
            name: option.name, unit: unit, choices: [], path: option.path,
            text: { $0[dynamicMember: path].map(print) }, merged: { $0[keyPath: path].map(print) ?? "none" },
            write: { layer, text in
                let value = text.flatMap(parse)
                guard text == nil || value != nil else { return false }
                layer[dynamicMember: path] = value
                return true
            })
    }
}

/// The three layers of options, and what they merge to.
package struct Layers: Sendable {
    package static let names = ["Global", "Request", "Runtime"]
    package static let presets: [(name: String, layer: OptionLayer)] = [
        ("standard", .standard), ("lowData", .lowData), ("memoryOnly", .memoryOnly),
    ]

    /// The layers in the order of ``names``.
    package var all = [OptionLayer](repeating: OptionLayer(), count: 3)

    package init() {}

    private var builder: OptionsBuilder { OptionsBuilder(global: all[0], request: all[1], runtime: all[2]) }

    /// The merged options, or the error that names all invalid values.
    package var merged: Result<LoadOptions, ImageError> { Result { () throws(ImageError) in try builder.build() } }

    /// The layer that the value of an option comes from; `standard` for its default.
    package func origin(of field: OptionField) -> String { builder.origin(of: field.path).rawValue }
}
