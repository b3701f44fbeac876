extension LoadOptions {
    /// The decode, with every option that changes the image or whether there is one.
    package var decode: ImageVariant.Decode {
        var decode = ImageVariant.Decode()
        (decode.targetSize, decode.contentMode) = (targetSize, contentMode)
        var parts: [String] = []
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
        decode.options = parts.joined(separator: ",")
        return decode
    }

    /// The alpha mode to decode to.
    package var decodedAlpha: AlphaMode { processors.isEmpty ? alpha : .premultiplied }
}
