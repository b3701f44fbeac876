import AppKit
import Calotype

@MainActor func showPhoto(_ url: URL?, in imageView: NSImageView) {
    var options = OptionLayer()
    options.placeholder = .color(red: 0.9, green: 0.9, blue: 0.9, alpha: 1)
    options.transition = .fade(.milliseconds(250))
    imageView.imageScaling = .scaleProportionallyUpOrDown
    imageView.calotype.setImage(with: url, options: options)
}
