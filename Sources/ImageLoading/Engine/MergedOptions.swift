internal import HTTPTypes
internal import ImageCore

/// The options of a load, its layers merged, and the values derived from them: made once for all loads with the same
/// options.
final class MergedOptions: Sendable {
    let options: LoadOptions
    /// Those for the decoder, with its standard limits and without a cancellation token.
    let decoding: DecodeOptions
    /// What identifies the image after decoding (first) and after each processor; never empty.
    let variants: [ImageVariant]
    /// The last of them.
    let variant: ImageVariant
    /// The scale of the decode, where it is to a size: other decodes of its family differ in the size alone, and show
    /// the same part of the image.
    let scale: DecodeScale?
    /// The processors in runs that work as one.
    let runs: [ProcessingRun]
    let terms: FetchTerms

    /// The options of a load that sets none, in a loader whose configuration sets none.
    static let standard = MergedOptions(LoadOptions())

    /// - Parameter encodes: whether the loader can keep finished images on disk.
    init(_ options: LoadOptions, encodes: Bool = true) {
        var options = options
        if !encodes { options.diskStorage = .originalData }
        if !options.storesToDisk { options.cachePolicy.remove(.writesDisk) }
        self.options = options
        decoding = DecodeOptions(options)
        runs = ProcessingRun.runs(of: options.processors)
        terms = FetchTerms(options)
        let decode = options.decode
        var (variants, last) = ([ImageVariant](), ImageVariant(decode))
        variants.reserveCapacity(options.processors.count + 1)
        variants.append(last)
        for processor in options.processors {
            last = last.processed(by: processor.identifier)
            variants.append(last)
        }
        (self.variants, variant) = (variants, last)
        scale = options.targetSize.map { size in
            var family = "\(decode.options),\(options.contentMode.rawValue)"
            if options.contentMode == .fill {
                // Boxes of about the same proportions show the same part.
                let (width, height) = (Double(size.width), Double(size.height))
                family += ",\((32 * (width < height ? -height / width : width / height)).rounded())"
            }
            return DecodeScale(family: family, box: size)
        }
    }

    /// How many of the processors another image of the resource has had, if it may be shown until this one is made: if
    /// it was decoded alike to the full size or to a larger one, and has had the first of the processors and no others.
    func largerImageProcessors(_ other: ImageVariant, size: PixelSize) -> Int? {
        let (own, theirs) = (variant.decode, other.decode)
        guard other != variant, own.options == theirs.options, variant.processors.starts(with: other.processors) else {
            return nil
        }
        if theirs.targetSize == nil { return other.processors.count }
        guard let box = own.targetSize, own.contentMode == theirs.contentMode, covers(box, size) else { return nil }
        return other.processors.count
    }

    /// Whether an image is at least as large as one that is scaled to a box.
    private func covers(_ box: PixelSize, _ size: PixelSize) -> Bool {
        let (isWide, isHigh) = (size.width >= box.width, size.height >= box.height)
        return options.contentMode == .fit ? isWide || isHigh : isWide && isHigh
    }
}

extension DecodeOptions {
    /// The options of a load for the decoder, without those that depend on the loader.
    fileprivate init(_ options: LoadOptions) {
        self.init()
        targetSize = options.targetSize
        contentMode = options.contentMode
        appliesOrientation = options.appliesOrientation
        convertsToSRGB = options.convertsToSRGB
        convertsTo8Bit = options.convertsTo8Bit
        alpha = options.decodedAlpha
        frame = options.frame
        allowsPartial = options.allowsPartial
        extra = options.extra
    }
}

/// The layers that every load of a loader shares, global and runtime, merged once when they are set and not at each
/// load.
final class LayeredDefaults: Sendable {
    let global: OptionLayer
    let runtime: OptionLayer
    private let encodes: Bool
    /// The options, or the error, of a request that sets no options.
    private let plain: Result<MergedOptions, ImageError>
    /// What a request that sets no options reads from the memory cache: the end of its key; `nil` when it reads
    /// nothing, or when its key needs more.
    let variantWithoutOptions: ImageVariant?

    /// - Parameter encodes: whether the loader can keep finished images on disk.
    init(global: OptionLayer, runtime: OptionLayer, encodes: Bool) {
        (self.global, self.runtime, self.encodes) = (global, runtime, encodes)
        do {
            let merged = MergedOptions(try OptionsBuilder(global: global, runtime: runtime).build(), encodes: encodes)
            plain = .success(merged)
            let options = merged.options
            let readsByVariant =
                options.cachePolicy.readsMemory && options.headers.isEmpty && options.interceptors.isEmpty
                && options.loadInterceptors.isEmpty && options.extra.isEmpty && !options.memoryFollowsFreshness
                && options.memoryLifetime == nil
            variantWithoutOptions = readsByVariant ? merged.variant : nil
        } catch {
            plain = .failure(error)
            variantWithoutOptions = nil
        }
    }

    /// Whether a request leaves its priority to the lowest layer, or to the caller.
    func inheritsPriority(_ request: ImageRequest) -> Bool {
        !request.options.overrides(\.priority) && !runtime.overrides(\.priority)
    }

    /// The merged options of a request.
    func options(for request: ImageRequest) throws(ImageError) -> MergedOptions {
        guard !request.options.isEmpty else { return try plain.get() }
        return MergedOptions(
            try OptionsBuilder(global: global, request: request.options, runtime: runtime).build(), encodes: encodes)
    }
}
