extension LoadOptions {
    /// Every option that changes the decoded image, or whether there is one, as text for a cache key; empty for the defaults.
    ///
    /// - Parameter includesSize: whether the target size is part of it; `true`.
    package func decodeVariant(includesSize: Bool = true) -> String {
        var parts: [String] = []
        if includesSize, let size = targetSize { parts.append("\(size),\(contentMode.rawValue)") }
        if !appliesOrientation { parts.append("as-stored") }
        if !convertsToSRGB { parts.append("keeps-profile") }
        if !convertsTo8Bit { parts.append("16-bit") }
        if decodedAlpha != .premultiplied { parts.append(decodedAlpha.rawValue) }
        if !animates { parts.append("still") }
        if frame != 0 { parts.append("frame-\(frame)") }
        if allowsPartial { parts.append("partial") }
        if let pixels = maximumPixels { parts.append("at-most-\(pixels)") }
        // With their lengths, so that no two lists read the same.
        parts += extra.texts(changing: .image).map { "\($0.utf8.count):\($0)" }
        return parts.joined(separator: ",")
    }

    /// The alpha mode to decode to.
    package var decodedAlpha: AlphaMode { processors.isEmpty ? alpha : .premultiplied }
}
