#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    public import ImageCore
    internal import ImageDecoding
    internal import ImageIO

    extension ImageIODecoder: AnimationDecoding {
        public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
            try options.checkCancellation()
            return try ImageIOAnimation(ImageIOFile(data), options: options)
        }
    }

    /// An animation whose frames ImageIO composes.
    private final class ImageIOAnimation: ImageAnimation {
        let durations: [Duration]
        let loopCount: Int
        private let file: ImageIOFile
        private let options: DecodeOptions

        init(_ file: ImageIOFile, options: DecodeOptions) throws {
            (self.file, self.options) = (file, options)
            // Checks the number of frames.
            _ = try file.info(at: file.index(of: 0), limits: options.limits)
            durations = file.animationKeys?.durations(of: file.source) ?? [.zero]
            loopCount = file.loopCount
        }

        func frame(at index: Int) throws -> DecodedImage {
            try options.checkCancellation()
            try options.checkFrame(index, of: durations.count)
            return try file.decode(at: durations.count == 1 ? file.index(of: 0) : index, options: options)
        }
    }

    extension ImageIOFile {
        fileprivate var animationKeys: AnimationKeys? { AnimationKeys.all.first { $0.format == format } }

        /// How often the animation is shown; 0 for ever, 1 for a still image.
        var loopCount: Int {
            guard let keys = animationKeys, keys.durations(of: source) != nil else { return 1 }
            let count = keys.properties(of: source)?[keys.loopCount] as? Int
            // A GIF says how often it is repeated after it was shown once, and is shown once if it says nothing.
            return format == .gif ? count.map { $0 == 0 ? 0 : $0 + 1 } ?? 1 : count ?? 0
        }
    }

    /// The names under which ImageIO has the properties of the animations of a format.
    fileprivate struct AnimationKeys {
        let format: ImageFormat
        let dictionary, unclampedDelay, delay, loopCount: CFString
        /// The array of the file's properties that has those of the frames; `nil` if ImageIO has them with each frame.
        var frames: CFString?

        static var all: [AnimationKeys] {
            [
                AnimationKeys(
                    format: .gif, dictionary: kCGImagePropertyGIFDictionary,
                    unclampedDelay: kCGImagePropertyGIFUnclampedDelayTime, delay: kCGImagePropertyGIFDelayTime,
                    loopCount: kCGImagePropertyGIFLoopCount),
                AnimationKeys(
                    format: .png, dictionary: kCGImagePropertyPNGDictionary,
                    unclampedDelay: kCGImagePropertyAPNGUnclampedDelayTime, delay: kCGImagePropertyAPNGDelayTime,
                    loopCount: kCGImagePropertyAPNGLoopCount),
                AnimationKeys(
                    format: .webp, dictionary: kCGImagePropertyWebPDictionary,
                    unclampedDelay: kCGImagePropertyWebPUnclampedDelayTime, delay: kCGImagePropertyWebPDelayTime,
                    loopCount: kCGImagePropertyWebPLoopCount),
                AnimationKeys(
                    format: .heic, dictionary: kCGImagePropertyHEICSDictionary,
                    unclampedDelay: kCGImagePropertyHEICSUnclampedDelayTime, delay: kCGImagePropertyHEICSDelayTime,
                    loopCount: kCGImagePropertyHEICSLoopCount, frames: kCGImagePropertyHEICSFrameInfoArray),
                // Not kCGImagePropertyAVISDictionary, which SDKs declare for different versions. The keys are those of
                // HEIC.
                AnimationKeys(
                    format: .avif, dictionary: "{AVIS}" as CFString,
                    unclampedDelay: kCGImagePropertyHEICSUnclampedDelayTime, delay: kCGImagePropertyHEICSDelayTime,
                    loopCount: kCGImagePropertyHEICSLoopCount, frames: kCGImagePropertyHEICSFrameInfoArray),
            ]
        }

        /// The properties of the animation as a whole.
        func properties(of source: CGImageSource) -> [CFString: Any]? {
            (CGImageSourceCopyProperties(source, nil) as? [CFString: Any])?[dictionary] as? [CFString: Any]
        }

        /// The durations of the frames; `nil` if the file is no animation, for example a HEIC file with several photos.
        ///
        /// ImageIO shows frames of less than 0.02 s for 0.1 s. The unclamped delay is what the file says.
        func durations(of source: CGImageSource) -> [Duration]? {
            let count = CGImageSourceGetCount(source)
            guard count > 1 else { return nil }
            let all = frames.flatMap { properties(of: source)?[$0] as? [[CFString: Any]] } ?? []
            var durations: [Duration] = []
            for index in 0..<count {
                let properties = CGImageSourceCopyPropertiesAtIndex(source, index, nil) as? [CFString: Any]
                let frame = properties?[dictionary] as? [CFString: Any]
                let seconds = duration(frame) ?? (all.indices.contains(index) ? duration(all[index]) : nil)
                guard let seconds else { return nil }
                durations.append(seconds > 0 ? .seconds(min(seconds, 86_400)) : .zero)
            }
            return durations
        }

        private func duration(_ frame: [CFString: Any]?) -> Double? {
            frame?[unclampedDelay] as? Double ?? frame?[delay] as? Double
        }
    }
#endif
