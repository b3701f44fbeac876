import Calotype
import UIKit

@MainActor func showAvatar(_ url: URL?, in imageView: UIImageView, or button: UIButton) {
    // A spinner, a progress bar and a warning sign in front of the image.
    imageView.calotype.indicators = [.spinner, .progress, .failure]
    imageView.calotype.setImage(with: url, placeholder: UIImage(systemName: "person.circle")) { result in
        if case .failure(let failure) = result { print("No avatar: \(failure)") }
    } progress: { progress in
        print(progress.received)
    }
    // A button shows images in their own size, so the request needs one.
    button.calotype.setImage(with: url, size: PixelSize(32, scale: button.traitCollection.displayScale))
}
