import Duotone
import ImageCore
import ImageKernels
import ImageLoading

/// A loader whose duotones are navy and cream, and a request with other tones.
func loadDuotones(_ url: URL, by configuration: ImageLoader.Configuration) async throws -> (DecodedImage, DecodedImage) {
    var configuration = configuration
    configuration.options[DuotoneTones.self] = Duotone.Tones(dark: navy, light: cream)
    let loader = ImageLoader(configuration)
    var request = ImageRequest(url: url, processors: [.duotone])
    let navyAndCream = try await loader.image(for: request)
    request.options[DuotoneTones.self] = Duotone.Tones(dark: cream, light: navy)
    return (navyAndCream, try await loader.image(for: request))
}

let navy = PixelColor(red: 0, green: 0, blue: 0.4)
let cream = PixelColor(red: 1, green: 0.8, blue: 0.6)
