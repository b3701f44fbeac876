import Calotype
import UIKit

@MainActor func showAsKingfisher(_ url: URL?, in imageView: UIImageView) {
    imageView.calotype.setImage(with: url)  // 19
    var options = OptionLayer()
    options.transition = .fade(.milliseconds(250))
    options.keepsImageWhileLoading = true
    imageView.calotype.setImage(with: url, placeholder: UIImage(systemName: "photo"), options: options)  // 20
}
