internal import Calotype

/// The decoders and encoders of the standard wiring.
enum Codecs {
    static let decoder = DecoderRegistry(.codecs)
    static let encoder = EncoderRegistry(.codecs)
}
