import Calotype
import Foundation
import Testing

/// Three frames of 24 × 16 pixels, shown for 0.1, 0.2 and 0.3 s: red, green and blue, with a white mark that moves.
let flagGIF = Data(
    base64Encoded: """
        R0lGODlhGAAQAIEAAOY8KP///wAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQACgAAACwAAAAAGAAQAAAINAABCBxIsKDBgwgTKlzIsOHBABAjOiQY\
        UeJEgRUhXsSYcSOAjAE8ghTZceNIjyhTqly5MCAAIfkEARQAAgAsAAAAABgAEACBKKBQ////AAAAAAAACDQAAQgcSLCgwYMIEypcyLBhwwAQIzokGFHi\
        RIEVIV7EmHEjgIwBPIIU2XHjSI8oU6pcWTAgACH5BAEeAAIALAAAAAAYABAAgTJQ3P///wAAAAAAAAgzAAEIHEiwoMGDCBMqXMiwocOCASJKfDhQ4kSK\
        ACxGxJhRI0eNAT56xAhSpEWOKFOqXBkQADs=
        """)

@Suite struct ProcessedAnimationFileTests {
    @Test func framesAreDecodedToAReducedSizeAndProcessedOneByOne() throws {
        let file = try #require(flagGIF)
        let list: Composition = .all([.resize(width: 12), .invert])
        let (options, processor) = DecoderRegistry(.codecs).reducing(file, options: DecodeOptions(), for: list)
        #expect(options.targetSize == PixelSize(width: 12, height: 8))
        let animation = ProcessedAnimation(
            try DecoderRegistry(.codecs).animation(of: file, options: options), processors: [processor])
        #expect(animation.durations == [.milliseconds(100), .milliseconds(200), .milliseconds(300)] && animation.loopCount == 0)
        let corner = { (frame: Int) in
            let image = try animation.frame(at: frame)
            #expect(image.size == PixelSize(width: 12, height: 8))
            return unsafe image.bitmap.withUnsafePixels { unsafe Array($0[..<3]) }
        }
        // The inverse of the colour of each frame, in any order of requests.
        #expect(try corner(2) == [205, 175, 35])
        #expect(try corner(0) == [25, 195, 215])
        #expect(try corner(1) == [215, 95, 175])
    }
}
