public import Calotype
public import UIKit

extension UIImageView {
    /// Shows the thumbnail of an image.
    public func showThumbnail(of url: URL) {
        calotype.setImage(with: ImageRequest(url: url, processors: thumbnail), from: loader)
    }
}
