internal import ImageCore
internal import ImageKernels
internal import ImageProcessing

/// The arguments of one processor in a list, read by parameter.
struct ProcessorArguments {
    let processor: String
    let image: ((String) throws -> DecodedImage)?
    private var values: [String: String] = [:]

    /// - Parameter parameters: the parameters as in the usage: `name`, or `name=default`.
    init(
        of processor: String, parameters: [String], values: [ProcessorScanner.Value], image: ((String) throws -> DecodedImage)?
    ) throws(ImageError) {
        (self.processor, self.image) = (processor, image)
        let names = parameters.map { String($0.prefix { $0 != "=" }) }
        for (index, value) in values.enumerated() {
            guard let name = value.name ?? (index < names.count ? names[index] : nil) else {
                let takes = names.count == 1 ? "1 argument" : "\(names.count) arguments"
                throw ImageError(.invalidRequest, message: "The processor \(processor) takes \(takes), not \(values.count).")
            }
            guard names.contains(name) else {
                throw ImageError(.invalidRequest, message: "The processor \(processor) has no parameter named \"\(name)\".")
            }
            guard self.values.updateValue(value.text, forKey: name) == nil else {
                throw ImageError(.invalidRequest, message: "The processor \(processor) was given \(name) twice.")
            }
        }
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            if parts.count == 2, self.values[String(parts[0])] == nil { self.values[String(parts[0])] = String(parts[1]) }
        }
    }

    /// Whether the argument was given or has a default.
    func has(_ name: String) -> Bool { values[name] != nil }

    func text(_ name: String) throws(ImageError) -> String {
        guard let value = values[name], !value.isEmpty else {
            throw ImageError(.invalidRequest, message: "The processor \(processor) needs a \(name).")
        }
        return value
    }

    func number(_ name: String) throws(ImageError) -> Double { try read(name, "a number", Double.init) }

    /// Pixels, or a share of the shorter side such as `10%`.
    func length(_ name: String) throws(ImageError) -> (value: Double, unit: LengthUnit) {
        try read(name, "a number of pixels, or a share such as 10%,") { text in
            text.last == "%" ? Double(text.dropLast()).map { ($0 / 100, .shorterSide) } : Double(text).map { ($0, .pixels) }
        }
    }

    func integer(_ name: String) throws(ImageError) -> Int { try read(name, "a whole number", { Int($0) }) }

    func color(_ name: String) throws(ImageError) -> PixelColor { try read(name, "a colour such as #ff8000", { PixelColor($0) }) }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _: Choice.Type = Choice.self
    ) throws(ImageError) -> Choice where Choice.RawValue == String {
        try read(name, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "), Choice.init(rawValue:))
    }

    /// Whether a flag is `true` or `false`.
    func flag(_ name: String) throws(ImageError) -> Bool { try read(name, "true or false", { Bool($0) }) }

    /// `320x200`; a side may be left out: `320x`, `x200`, `320`.
    func box(_ name: String) throws(ImageError) -> (width: Int?, height: Int?) {
        try read(name, "a size such as 320x200, 320x or x200") { text in
            let sides = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
            let numbers = sides.map { $0.isEmpty ? nil : Int($0) }
            guard zip(sides, numbers).allSatisfy({ $0.isEmpty || $1 != nil }), numbers.contains(where: { $0 != nil }) else {
                return nil
            }
            return (numbers[0], numbers.count > 1 ? numbers[1] : nil)
        }
    }

    /// `320x200`, both sides.
    func size(_ name: String) throws(ImageError) -> PixelSize {
        let box = try box(name)
        guard let width = box.width, let height = box.height else {
            throw ImageError(
                .invalidRequest, message: "The processor \(processor) needs both sides of its \(name), such as 320x200.")
        }
        return PixelSize(width: width, height: height)
    }

    private func read<Value>(_ name: String, _ form: String, _ convert: (String) -> Value?) throws(ImageError) -> Value {
        let text = try text(name)
        guard let value = convert(text) else {
            throw ImageError(
                .invalidRequest, message: "The processor \(processor) needs \(form) as its \(name), not \"\(text)\".")
        }
        return value
    }
}
