import Calotype
import UIKit

@MainActor func showAsPINRemoteImage(_ url: URL?, in imageView: UIImageView) {
    imageView.calotype.setImage(with: url, placeholder: UIImage(systemName: "photo"))  // 19
    var options = OptionLayer()
    options.previews = .incremental
    imageView.calotype.setImage(with: url, options: options)  // 20
    imageView.calotype.cancel()
    imageView.calotype.clear()
}
