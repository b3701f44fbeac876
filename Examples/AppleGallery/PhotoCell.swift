import Calotype
import UIKit

/// A cell of a collection view with one image.
final class PhotoCell: UICollectionViewCell {
    let imageView = UIImageView()

    func show(_ url: URL) {
        if imageView.superview == nil {
            imageView.frame = contentView.bounds
            contentView.addSubview(imageView)
        }
        let size = PixelSize(120, scale: traitCollection.displayScale)  // 120 points
        var request = ImageRequest(url: url, size: size, contentMode: .fill)
        request.options.placeholder = .color(red: 0.9, green: 0.9, blue: 0.9, alpha: 1)
        request.options.transition = .fade(.milliseconds(250))
        request.options.accessibilityLabel = url.lastPathComponent
        imageView.calotype.setImage(with: request)
    }

    override func prepareForReuse() {
        super.prepareForReuse()
        imageView.calotype.clear()
    }
}
