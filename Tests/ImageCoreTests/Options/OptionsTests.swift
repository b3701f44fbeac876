import HTTPTypes
import ImageCore
import Testing

private enum Quota: OptionKey {
    static let defaultValue = 10
    static func problem(with value: Int) -> String? { value > 0 ? nil : "must be positive" }
}

private enum Flavour: OptionKey {
    static let defaultValue = "plain"
}

@Suite struct Options {
    @Test func anOptionalOptionCanBeOverriddenAndInheritedAgain() {
        var layer = OptionLayer()
        #expect(layer.targetSize == nil)
        layer.targetSize = PixelSize(width: 3, height: 4)
        #expect(layer.targetSize == PixelSize(width: 3, height: 4))
        layer.targetSize = nil
        #expect(layer.isEmpty)
    }

    @Test func everyOptionHasItsDocumentedDefault() throws {
        let options = try OptionsBuilder().build()
        #expect(options.cachePolicy == .memoryAndDisk && options.cachePriority == .normal && options.storesToDisk)
        #expect(options.timeout == .seconds(30) && options.deadline == nil && options.retries == nil && options.headers.isEmpty)
        #expect(options.allowsExpensiveNetwork && options.maximumPixels == nil && options.targetSize == nil)
        #expect(options.contentMode == .fit && options.processors.isEmpty && options.transition == .none)
        #expect(options.accessibilityLabel == nil && options.logContext == nil && options.priority == .normal)
        #expect(options.appliesOrientation && !options.allowsPartial && options.failureImage == nil)
        if case .none = options.placeholder {} else { Issue.record("A placeholder by default.") }
    }

    @Test func theRuntimeLayerOverridesTheRequestAndTheRequestTheGlobalLayer() throws {
        var builder = OptionsBuilder()
        builder.global.timeout = .seconds(1)
        builder.global.retries = 1
        builder.global.logContext = "global"
        builder.request.timeout = .seconds(2)
        builder.request.retries = 2
        builder.runtime.timeout = .seconds(3)
        let options = try builder.build()
        #expect(options.timeout == .seconds(3) && options.retries == 2 && options.logContext == "global")
    }

    @Test func nilInALayerInheritsTheOption() throws {
        var builder = OptionsBuilder()
        builder.global.timeout = .seconds(1)
        builder.request.timeout = .seconds(2)
        builder.request.timeout = nil
        #expect(builder.request.timeout == nil && builder.request.isEmpty)
        #expect(try builder.build().timeout == .seconds(1))
    }

    @Test func anOptionalOptionCanBeOverriddenByNil() throws {
        var builder = OptionsBuilder()
        builder.global.targetSize = PixelSize(width: 10, height: 10)
        builder.request.setToNone(\.targetSize)
        #expect(try builder.build().targetSize == nil)
        builder.request.targetSize = nil
        #expect(try builder.build().targetSize == PixelSize(width: 10, height: 10))
    }

    /// No option is a double optional.
    @Test func anOptionalOptionIsReadAndSetAsAPlainOptional() {
        var layer = OptionLayer()
        let size: PixelSize? = PixelSize(width: 4, height: 4)
        layer.targetSize = size
        let read: PixelSize? = layer.targetSize
        #expect(read == size)
        layer.setToNone(\.targetSize)
        #expect(layer.targetSize == nil && !layer.isEmpty)
        let none: PixelSize? = nil
        layer.targetSize = none
        #expect(layer.isEmpty)
    }

    @Test func aLayerCanAddToWhatTheLayerBelowSays() throws {
        var builder = OptionsBuilder()
        builder.global.headers = [.acceptLanguage: "en", .via: "a"]
        builder.request.modify(\.headers) { $0[.acceptLanguage] = "de" }
        builder.global.retries = 3
        builder.request.modify(\.retries) { $0 = $0.map { $0 + 1 } }
        builder.runtime.modify(\.headers) { $0[.userAgent] = "x" }
        builder.runtime.modify(\.cachePolicy) { $0.remove(.writesDisk) }
        let options = try builder.build()
        #expect(options.headers == [.acceptLanguage: "de", .via: "a", .userAgent: "x"])
        #expect(options.retries == 4 && options.cachePolicy == [.memoryOnly, .readsDisk])
    }

    @Test func aChangeOfAValueOfTheSameLayerChangesThatValueAndAValueDiscardsAChange() throws {
        var layer = OptionLayer { $0.retries = 1 }
        layer.modify(\.retries) { $0 = $0.map { $0 + 1 } }
        #expect(layer.retries == 2)
        layer.modify(\.timeout) { $0 *= 2 }
        layer.timeout = .seconds(5)
        #expect(try OptionsBuilder(request: layer).build().timeout == .seconds(5))
        layer.modify(\.deadline) { $0 = .seconds(7) }
        layer.modify(\.deadline) { $0 = $0.map { $0 * 2 } }
        #expect(try OptionsBuilder(request: layer).build().deadline == .seconds(14))
        layer.deadline = nil
        #expect(try OptionsBuilder(request: layer).build().deadline == nil)
    }

    @Test func mergingKeepsChangesInOrder() throws {
        let base = OptionLayer { $0.retries = 1 }
        let merged = base.merging(OptionLayer { $0.modify(\.retries) { $0 = $0.map { $0 + 5 } } })
        #expect(try OptionsBuilder(request: merged).build().retries == 6)
        let replaced = merged.merging(OptionLayer { $0.retries = 2 })
        #expect(try OptionsBuilder(request: replaced).build().retries == 2)
    }

    @Test func theResultOfAChangeIsChecked() throws {
        var layer = OptionLayer()
        layer.modify(\.retries) { $0 = 103 }
        let error = try #require(throws: ImageError.self) { try OptionsBuilder(runtime: layer).build() }
        #expect(error.message == "Invalid options: retries = 103 must be from 0 to 100 (runtime layer).")
    }

    @Test func oneErrorNamesEveryInvalidOptionItsValueAndItsLayer() throws {
        var builder = OptionsBuilder()
        builder.global.timeout = .zero
        builder.request.retries = 101
        builder.request.targetSize = PixelSize(width: 0, height: 5)
        // This value is reported although a later layer overrides it.
        builder.request.timeout = .seconds(-1)
        builder.runtime.timeout = .seconds(1)
        builder.runtime[Quota.self] = -4
        let error = try #require(throws: ImageError.self) { try builder.build() }
        #expect(error.code == .invalidConfiguration && error.category == .caller && error.stage == .request)
        #expect(
            error.message
                == "Invalid options: timeout = 0.0 seconds must be positive (global layer); "
                + "timeout = -1.0 seconds must be positive (request layer); "
                + "retries = 101 must be from 0 to 100 (request layer); "
                + "targetSize = 0x5 must have sides from 1 to 1000000 pixels (request layer); "
                + "Quota = -4 must be positive (runtime layer).")
    }

    @Test(arguments: [
        OptionLayer { $0.deadline = .zero }, OptionLayer { $0.deadline = .seconds(-1) }, OptionLayer { $0.maximumPixels = 0 },
        OptionLayer { $0.maximumResponseBytes = -1 }, OptionLayer { $0.retries = -1 },
        OptionLayer { $0.frame = -1 }, OptionLayer { $0.alpha = .opaque },
        OptionLayer { $0.transition = .fade(.seconds(-1)) },
        OptionLayer { $0.placeholder = .color(red: 2, green: 0, blue: 0, alpha: 1) },
        OptionLayer { $0.placeholder = .color(red: .nan, green: 0, blue: 0, alpha: 1) },
        OptionLayer { layer in
            var fields = HTTPFields()
            for index in 0..<101 { fields.append(HTTPField(name: HTTPField.Name("X-\(index)")!, value: "1")) }
            layer.headers = fields
        },
    ])
    func everyConstraintIsChecked(layer: OptionLayer) {
        #expect(throws: ImageError.self) { try OptionsBuilder(request: layer).build() }
    }

    @Test func theErrorNamesAnInvalidDeadline() throws {
        let layer = OptionLayer { $0.deadline = .zero }
        let error = try #require(throws: ImageError.self) { try OptionsBuilder(global: layer).build() }
        #expect(error.message == "Invalid options: deadline = 0.0 seconds must be positive (global layer).")
        #expect(try OptionsBuilder(global: OptionLayer { $0.setToNone(\.deadline) }).build().deadline == nil)
    }

    @Test func anInvalidHeaderListIsReportedWithoutItsValues() throws {
        var fields = HTTPFields()
        for _ in 0..<101 { fields.append(HTTPField(name: .authorization, value: "secret")) }
        var layer = OptionLayer()
        layer.headers = fields
        let error = try #require(throws: ImageError.self) { try OptionsBuilder(request: layer).build() }
        #expect(!error.message.contains("secret"))
    }

    /// FEATURES 6.7: loads whose decoded images differ share no key.
    @Test func everyOptionThatChangesTheDecodedImageIsPartOfItsKey() {
        let changes: [(inout LoadOptions) -> Void] = [
            { $0.targetSize = PixelSize(width: 3, height: 4) }, { $0.appliesOrientation = false }, { $0.convertsToSRGB = false },
            { $0.convertsTo8Bit = false }, { $0.alpha = .straight }, { $0.frame = 1 }, { $0.frame = 2 },
            { $0.allowsPartial = true }, { $0.maximumPixels = 100 },
            {
                $0.targetSize = PixelSize(width: 3, height: 4)
                $0.contentMode = .fill
            },
        ]
        let variants = changes.map { change in
            var options = LoadOptions()
            change(&options)
            return ImageVariant(options.decode)
        }
        #expect(ImageVariant(LoadOptions().decode) == .plain && !variants.contains(.plain))
        #expect(Set(variants).count == changes.count)
    }

    /// The text names the files of processed images, so another one would orphan those on the disk.
    @Test func theTextOfAVariantListsTheSizeTheOptionsAndTheProcessorsInOrder() {
        var options = LoadOptions()
        #expect(ImageVariant(options.decode).text.isEmpty)
        options.targetSize = PixelSize(width: 320, height: 240)
        #expect(ImageVariant(options.decode).text == "320x240,fit")
        options.contentMode = .fill
        (options.appliesOrientation, options.convertsToSRGB, options.convertsTo8Bit) = (false, false, false)
        (options.alpha, options.animates, options.frame) = (.straight, false, 2)
        (options.allowsPartial, options.maximumPixels) = (true, 100)
        let text = "320x240,fill,as-stored,keeps-profile,16-bit,straight,still,frame-2,partial,at-most-100"
        let variant = ImageVariant(options.decode)
        #expect(variant.text == text && variant.description == text)
        #expect(variant.processed(by: "blur").processed(by: "flip(x)").text == text + "|4:blur|7:flip(x)")
        options.targetSize = nil
        #expect(ImageVariant(options.decode).text == String(text.dropFirst("320x240,fill,".count)))
    }

    @Test func optionsOfPlugInsUseTheSameLayers() throws {
        var builder = OptionsBuilder()
        #expect(try builder.build().extra[Flavour.self] == "plain")
        builder.global[Flavour.self] = "sweet"
        builder.request[Quota.self] = 3
        builder.runtime[Quota.self] = 4
        let options = try builder.build()
        #expect(options.extra[Flavour.self] == "sweet" && options.extra[Quota.self] == 4)
        builder.runtime[Quota.self] = nil
        #expect(try builder.build().extra[Quota.self] == 3)
    }

    /// The list is as complete as the declaration, in its order, and each path is that of the property with the name.
    @Test func everyOptionIsListedByItsName() {
        var options = LoadOptions()
        options.timeout = .seconds(7)
        options.retries = 5
        let declared = Mirror(reflecting: options).children.filter { $0.label != "extra" }
        #expect(OptionDescription.all.map(\.name) == declared.compactMap(\.label))
        for (option, property) in zip(OptionDescription.all, declared) {
            #expect("\(options[keyPath: option.path])" == "\(property.value)", "\(option.name)")
            #expect(type(of: option.path).valueType == type(of: property.value), "\(option.name)")
        }
        let flags = OptionDescription.all.compactMap { $0.writablePath(to: Bool.self) }
        #expect(flags.count == declared.count { $0.value is Bool })
        var layer = OptionLayer()
        for flag in flags { layer[dynamicMember: flag] = true }
        #expect(layer.storesToDisk == true && layer.showsTierBadge == true && layer.retries == nil)
    }

    @Test func theOriginOfAnOptionIsTheHighestLayerThatSetsOrModifiesIt() {
        var builder = OptionsBuilder()
        #expect(OptionDescription.all.allSatisfy { builder.origin(of: $0.path) == .standard })
        builder.global.timeout = .seconds(1)
        builder.global.retries = 1
        builder.request.timeout = .seconds(2)
        builder.request.setToNone(\.targetSize)
        builder.runtime.modify(\.headers) { $0[.accept] = "image/png" }
        #expect(builder.origin(of: \.timeout) == .request && builder.origin(of: \.retries) == .global)
        #expect(builder.origin(of: \.targetSize) == .request && builder.origin(of: \.headers) == .runtime)
        #expect(builder.origin(of: \.priority) == .standard)
        builder.request.timeout = nil
        #expect(builder.origin(of: \.timeout) == .global)
    }
}
