import Calotype
import UIKit

@MainActor func show(_ url: URL?, in imageView: UIImageView) {
    // 19. An image in a view, at its size; the URL may be `nil`.
    // N: loadImage(with: url, into: imageView)
    // K: imageView.kf.setImage(with: url)
    imageView.calotype.setImage(with: url, size: PixelSize(120, scale: imageView.traitCollection.displayScale))
}

@MainActor func fade(_ url: URL, into imageView: UIImageView) {
    // 20. A placeholder and a fade.
    // N: ImageLoadingOptions(placeholder: image, transition: .fadeIn(duration: 0.25))
    // K: imageView.kf.setImage(with: url, placeholder: image, options: [.transition(.fade(0.25))])
    var request = ImageRequest(url: url)
    request.options.placeholder = .color(red: 0.9, green: 0.9, blue: 0.9, alpha: 1)
    request.options.transition = .fade(.milliseconds(250))
    imageView.calotype.setImage(with: request)
}
