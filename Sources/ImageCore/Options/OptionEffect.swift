/// What an option of a plug-in changes, and so which cache keys it is part of.
public enum OptionEffect: Hashable, Sendable {
    /// Neither the response nor the image: a timeout, a label. Loads that differ in the option share everything.
    case none
    /// The image that is made of a response: an option of a decoder, a processor or an encoder. It is part of the keys
    /// in the memory cache, and of processed images on disk.
    case image
    /// The response: an option of a network layer or an interceptor. It is part of all keys, those of original bytes
    /// included.
    case response
}
