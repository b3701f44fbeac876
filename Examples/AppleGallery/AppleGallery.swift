public import ImageCore
internal import ImageTargets
public import UIKit

/// What image views of UIKit show of a load, one view each: what stands in for a picture, and a picture from each tier.
///
/// To be read, or put into a view controller of an app, which keeps the views and adds them to its own.
@MainActor public struct AppleGallery {
    /// The views, with what they show.
    public private(set) var views: [(title: String, view: UIImageView)] = []

    public init() {}

    /// A picture that is waited for. `placeholder` stands in for it until it comes, over which it then fades in.
    public mutating func add(_ title: String, _ url: URL, placeholder: Placeholder, from loader: any ImageProviding) {
        var request = ImageRequest(url: url)
        request.options.placeholder = placeholder
        request.options.transition = .fade(.milliseconds(250))
        show(title, request, from: loader)
    }

    /// A picture with the badge of the tier that had it.
    public mutating func addWithBadge(_ title: String, _ url: URL, from loader: any ImageProviding) {
        var request = ImageRequest(url: url)
        request.options.showsTierBadge = true
        show(title, request, from: loader)
    }

    private mutating func show(_ title: String, _ request: ImageRequest, from loader: any ImageProviding) {
        let view = UIImageView()
        view.calotype.setImage(with: request, from: loader)
        views.append((title, view))
    }
}
