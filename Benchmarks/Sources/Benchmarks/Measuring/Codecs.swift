internal import Calotype

/// The decoders and encoders of the standard wiring.
enum Codecs {
    static let decoder = DecoderRegistry()
    static let encoder = EncoderRegistry()
}
