import ImageCore
import Testing

@Suite struct ImageFormats {
    @Test func theNamesOfAFormatFollowFromItsShortName() {
        let heic = ImageFormat(rawValue: "heic")
        #expect((heic.mediaType, heic.displayName) == ("image/heic", "HEIC"))
        #expect(heic.fileExtensions == ["heic"])
        #expect((ImageFormat.webp.displayName, ImageFormat.jpeg.displayName) == ("WebP", "JPEG"))
        #expect(ImageFormat.jpeg.fileExtensions == ["jpg", "jpeg", "jpe"])
    }

    @Test func aFormatOfAPlugInHasItsOwnNames() {
        let graymap = ImageFormat(
            rawValue: "pgm", mediaType: "image/x-portable-graymap", fileExtensions: ["pgm", "pnm"], displayName: "Graymap")
        #expect((graymap.mediaType, graymap.displayName) == ("image/x-portable-graymap", "Graymap"))
        #expect(graymap.fileExtensions == ["pgm", "pnm"])
        let plain = ImageFormat(rawValue: "x", mediaType: "image/x", fileExtensions: [], displayName: "X")
        #expect(plain.fileExtensions == ["x"])
    }

    @Test func theShortNameAloneIsTheIdentity() {
        let named = ImageFormat(rawValue: "pgm", mediaType: "image/x", fileExtensions: [], displayName: "Graymap")
        #expect(Set([named, ImageFormat(rawValue: "pgm")]).count == 1)
        #expect(named != ImageFormat(rawValue: "ppm"))
    }
}
