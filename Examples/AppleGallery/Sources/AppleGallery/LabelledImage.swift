import Calotype
import UIKit

@MainActor func showLabelledCat(in imageView: UIImageView) {
    var request = ImageRequest(url: URL(string: "https://example.org/cat.jpg")!)
    request.options.accessibilityLabel = "A cat on a wall"
    imageView.calotype.setImage(with: request)
}
