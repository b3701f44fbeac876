import Calotype
import UIKit

@MainActor func showAsNuke(_ url: URL?, in imageView: UIImageView, failure: DecodedImage?) {
    imageView.calotype.setImage(with: url)  // 19
    var options = OptionLayer()
    options.transition = .fade(.milliseconds(250))
    options.failureImage = failure
    imageView.calotype.setImage(with: url, placeholder: UIImage(systemName: "photo"), options: options)  // 20
}
