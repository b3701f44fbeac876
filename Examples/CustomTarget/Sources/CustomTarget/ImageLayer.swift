import ImageCore
import ImageKernels
import ImageTargets

/// Shows images in a layer of a scene.
///
/// Keep it as long as the layer: it owns its target, which refers to it weakly. Releasing it cancels the load.
@SceneActor public final class ImageLayer: ImageViewAdapter {
    /// The layer to put into a scene.
    public let layer: Scene.Layer
    /// Loads images into the layer; `nil` until ``makeTarget(loader:)`` was called.
    public private(set) var target: ImageTarget<ImageLayer>?

    /// Creates a layer that shows nothing, by default without a size.
    public nonisolated init(x: Int = 0, y: Int = 0, size: PixelSize = PixelSize(width: 0, height: 0)) {
        layer = Scene.Layer(x: x, y: y, size: size)
    }

    /// Binds the layer to a loader, once.
    public func makeTarget(loader: any ImageProviding) -> ImageTarget<ImageLayer> {
        let target = ImageTarget(self, loader: loader)
        self.target = target
        return target
    }

    /// Moves the layer. A load that waited for its size starts, and a larger layer loads its image again.
    public func setFrame(x: Int, y: Int, size: PixelSize) async {
        (layer.x, layer.y, layer.size) = (x, y, size)
        await target?.viewSizeChanged()
    }

    // The scene draws what is set here the next time, so each call has its effect when it returns. The scene has no
    // animations; a toolkit that has some draws the transition.
    public func setImage(_ image: DecodedImage, transition: ImageTransition) {
        (layer.content, layer.isBroken) = (.pixels(image.bitmap), false)
    }

    public func setPlaceholder(_ placeholder: Placeholder) {
        switch placeholder {
        case .image(let image): setImage(image, transition: .none)
        case .color(let red, let green, let blue, let alpha):
            layer.content = .color(PixelColor(red: red, green: green, blue: blue, alpha: alpha))
            layer.isBroken = false
        // The target clears the layer instead, and draws the hash to an image.
        case .none, .hash: clear()
        }
    }

    public func clear() { (layer.content, layer.isBroken) = (.nothing, false) }

    public func setLoading(_ isLoading: Bool) { (layer.isBusy, layer.progress) = (isLoading, 0) }

    public func setProgress(_ progress: LoadProgress) { layer.progress = progress.fraction ?? 0 }

    public func setFailure(_ error: ImageError) { layer.isBroken = true }

    public func setAccessibilityLabel(_ label: String?) { layer.spokenText = label ?? "" }

    public func imageSize() -> ViewImageSize {
        layer.size.width > 0 && layer.size.height > 0 ? .box(layer.size, .fill) : .pending
    }
}
