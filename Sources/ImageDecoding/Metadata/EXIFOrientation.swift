package import ImageCore

/// The orientation in Exif data: tag 0x0112 of the first directory.
package enum EXIFOrientation {
    /// Returns the orientation; ``Orientation/up`` if there is no valid one.
    ///
    /// - Parameter exif: a TIFF structure, with or without the `Exif\0\0` before it in JPEG.
    package static func parse(_ exif: Data) -> Orientation {
        EXIFDirectory(exif)?.number(0x0112).flatMap(Orientation.init(rawValue:)) ?? .up
    }

    /// Returns a TIFF structure with only the orientation; empty for ``Orientation/up``, which is the default.
    package static func data(_ orientation: Orientation) -> Data {
        guard orientation != .up else { return Data() }
        let header = Data("MM".utf8) + [0, 42, 0, 0, 0, 8]
        // One entry: tag, SHORT, one value; no further directory.
        return header + [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0]
    }

    /// Returns the same as the content of a segment of JPEG (Exif 2.32, 4.7.2).
    package static func segment(_ orientation: Orientation) -> [UInt8] {
        orientation == .up ? [] : Array("Exif\0\0".utf8) + data(orientation)
    }
}
