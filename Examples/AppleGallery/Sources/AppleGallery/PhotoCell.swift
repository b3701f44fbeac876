import Calotype
import UIKit

/// A cell of a collection view with one image.
final class PhotoCell: UICollectionViewCell {
    private let imageView = UIImageView()

    override init(frame: CGRect) {
        super.init(frame: frame)
        imageView.frame = contentView.bounds
        imageView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        (imageView.contentMode, imageView.clipsToBounds) = (.scaleAspectFill, true)
        imageView.backgroundColor = .systemGray
        contentView.addSubview(imageView)
    }

    @available(*, unavailable) required init?(coder: NSCoder) { nil }

    func show(_ photo: Photo) { imageView.calotype.setImage(with: photo.request) }

    override func prepareForReuse() {
        super.prepareForReuse()
        imageView.calotype.clear()
    }
}

struct Photo {
    let url: URL
    let title: String

    /// The request of a cell, and of its prefetch: both need the same options.
    var request: ImageRequest {
        var request = ImageRequest(url: url)
        request.options.transition = .fade(.milliseconds(250))
        request.options.accessibilityLabel = title
        return request
    }
}
