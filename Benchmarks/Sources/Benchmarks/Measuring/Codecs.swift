internal import Calotype

/// The decoders and encoders of the standard configuration.
enum Codecs {
    static let decoder = DecoderRegistry(.codecs)
    static let encoder = EncoderRegistry(.codecs)
}
