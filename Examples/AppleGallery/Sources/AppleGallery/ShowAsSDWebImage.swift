import Calotype
import UIKit

@MainActor func showAsSDWebImage(_ url: URL?, in imageView: UIImageView) {
    imageView.calotype.setImage(with: url, placeholder: UIImage(systemName: "photo"))  // 19
    imageView.calotype.indicators = [.spinner, .progress]  // 20
    var options = OptionLayer()
    options.transition = .fade(.milliseconds(250))
    imageView.calotype.setImage(with: url, options: options)
    imageView.calotype.cancel()
}
