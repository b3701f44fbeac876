import Calotype
import UIKit

@MainActor func showCat(in imageView: UIImageView) {
    imageView.calotype.setImage(with: URL(string: "https://example.org/cat.jpg"))
}
