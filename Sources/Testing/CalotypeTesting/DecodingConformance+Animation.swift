internal import ImageCore

extension FileCheck {
    /// The frames of a decoder that conforms to `AnimationDecoding`.
    func checkAnimation() throws {
        guard let decoder = decoder as? any AnimationDecoding else { return }
        let count = try decoder.info(of: file, limits: DecodingLimits()).frameCount
        let animation = try decoder.animation(of: file, options: DecodeOptions())
        try require(
            animation.frameCount == count,
            "The header of \(name.lowercased()) says \(count) frames, but the animation has \(animation.frameCount).")
        try require(animation.durations.allSatisfy { $0 >= .zero }, "\(name) has a frame whose duration is negative.")
        let frames = try (0..<count).map { try animation.frame(at: $0) }
        let image = try decode(file)
        try require(isSame(frames[0], image), "The first frame of \(name.lowercased()) differs from its image.")
        for (index, frame) in frames.enumerated() {
            try require(
                frame.size == image.size && !frame.isPartial && !frame.isPreview,
                "Frame \(index) of \(name.lowercased()) has another size than the image, or is marked as partial or preview.")
        }
        for index in (0..<count).reversed() {
            try require(
                isSame(frames[index], try animation.frame(at: index)),
                "Frame \(index) of \(name.lowercased()) differs when the frames are read backwards.")
        }
        for index in [-1, count] {
            do {
                _ = try animation.frame(at: index)
                throw ConformanceFailure("\(name) has \(count) frames, but returned a frame \(index).")
            } catch is ImageError {}
        }
        try requireCancellation(of: "A frame of \(name.lowercased())") { token in
            var options = DecodeOptions()
            options.cancellation = token
            let animation = try decoder.animation(of: file, options: options)
            token.cancel()
            _ = try animation.frame(at: 0)
        }
    }
}
