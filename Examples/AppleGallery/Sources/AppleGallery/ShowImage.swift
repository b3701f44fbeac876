import Calotype
import UIKit

@MainActor func show(_ url: URL?, in imageView: UIImageView) {
    // 19. An image in a view, at the view's size; the URL may be `nil`.
    // N: loadImage(with: url, into: imageView)
    // K: imageView.kf.setImage(with: url)
    imageView.calotype.setImage(with: url)
}

@MainActor func fade(_ url: URL, into imageView: UIImageView) {
    // 20. A placeholder and a fade.
    // N: ImageLoadingOptions(placeholder: image, transition: .fadeIn(duration: 0.25))
    // K: imageView.kf.setImage(with: url, placeholder: image, options: [.transition(.fade(0.25))])
    var options = OptionLayer()
    options.transition = .fade(.milliseconds(250))
    imageView.calotype.setImage(with: url, placeholder: UIImage(systemName: "photo"), options: options)
}
