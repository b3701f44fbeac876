public import Calotype
public import UIKit

/// Image views of UIKit that show the stages of a load: one view per placeholder, and one per cache tier.
///
/// An app's view controller may use it: it adds the views to its own view.
@MainActor public struct AppleGallery {
    /// The views, with titles that say what they show.
    public private(set) var views: [(title: String, view: UIImageView)] = []

    /// Makes a gallery without views.
    public init() {}

    /// Adds a view that shows a placeholder until the image fades in.
    public mutating func add(_ title: String, _ url: URL, placeholder: Placeholder, from loader: any ImageProviding) {
        var request = ImageRequest(url: url)
        request.options.placeholder = placeholder
        request.options.transition = .fade(.milliseconds(250))
        show(title, request, from: loader)
    }

    /// Adds a view that shows an image with the badge of its cache tier.
    public mutating func addWithBadge(_ title: String, _ url: URL, from loader: any ImageProviding) {
        var request = ImageRequest(url: url)
        request.options.showsTierBadge = true
        show(title, request, from: loader)
    }

    private mutating func show(_ title: String, _ request: ImageRequest, from loader: any ImageProviding) {
        let view = UIImageView(frame: CGRect(x: 0, y: 0, width: 160, height: 120))
        view.calotype.setImage(with: request, from: loader)
        views.append((title, view))
    }
}
