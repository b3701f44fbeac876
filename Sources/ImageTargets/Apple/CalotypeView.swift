#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    internal import Foundation
    public import ImageCore

    /// Loads images into a view: the property `calotype` of image views and buttons.
    ///
    /// For example, `imageView.calotype.setImage(with: url, from: loader)`. A new request replaces the previous one, and the load
    /// is cancelled when the view is released.
    @MainActor public struct CalotypeView<View: PlatformImageView> {
        let view: View

        init(_ view: View) { self.view = view }

        /// Shows the image of a request, now or when it is loaded.
        ///
        /// - Parameters:
        ///   - request: the image to show.
        ///   - loader: loads the image.
        ///   - completion: called on the main actor once with the result; not called if the request is replaced, repeated or
        ///     cancelled. `nil` by default.
        public func setImage(
            with request: ImageRequest, from loader: any ImageProviding,
            completion: ImageTarget<PlatformViewAdapter>.MainActorCompletion? = nil
        ) {
            binding(for: loader).target.setImage(request, completion: completion)
        }

        /// Shows the image at a URL, now or when it is loaded.
        ///
        /// - Parameters:
        ///   - url: the URL of the image. `nil` cancels the load and shows the failure image of the loader's options, or otherwise
        ///     their placeholder; the completion is then called with ``ImageError/Code/invalidRequest``.
        ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's options.
        ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the loader's
        ///     options.
        ///   - loader: loads the image.
        ///   - completion: called on the main actor once with the result; not called if the request is replaced, repeated or
        ///     cancelled. `nil` by default.
        public func setImage(
            with url: URL?, size: PixelSize? = nil, processors: [any Processing] = [], from loader: any ImageProviding,
            completion: ImageTarget<PlatformViewAdapter>.MainActorCompletion? = nil
        ) {
            binding(for: loader).target.setImage(url, size: size, processors: processors, completion: completion)
        }

        /// Cancels the load. The view keeps what it shows.
        public func cancel() { binding?.target.cancel() }

        /// Cancels the load and clears the view. Call it in `prepareForReuse`.
        public func clear() { binding?.target.clear() }

        /// Reports that the view came on screen or left it; see ``LoadOptions/offScreenPolicy``.
        public func setVisible(_ isVisible: Bool) { binding?.target.setVisible(isVisible) }

        /// The source of the image that the view shows or loads; `nil` without one.
        public var currentSource: ImageSource? { binding?.target.currentSource }

        private var binding: ViewBinding? { ViewBindings.binding(of: view) }

        private func binding(for loader: any ImageProviding) -> ViewBinding {
            if let binding, binding.loader as AnyObject === loader as AnyObject { return binding }
            binding?.target.cancel()
            let binding = ViewBinding(view, loader)
            ViewBindings.set(binding, of: view)
            return binding
        }
    }

    /// The target of one view, and the loader from which it gets its images.
    @MainActor final class ViewBinding {
        let loader: any ImageProviding
        let adapter: PlatformViewAdapter
        let target: ImageTarget<PlatformViewAdapter>

        init(_ view: any PlatformImageView, _ loader: any ImageProviding) {
            self.loader = loader
            adapter = PlatformViewAdapter(showing: view)
            target = ImageTarget(adapter, loader: loader)
        }
    }

    /// Keeps the binding of each view as long as the view lives: as an associated object if there is an Objective-C runtime.
    @MainActor private enum ViewBindings {
        #if canImport(ObjectiveC)
            private static var key: UInt8 = 0

            static func binding(of view: AnyObject) -> ViewBinding? {
                unsafe objc_getAssociatedObject(view, &key) as? ViewBinding
            }

            static func set(_ binding: ViewBinding, of view: AnyObject) {
                unsafe objc_setAssociatedObject(view, &key, binding, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
            }
        #else
            // The stubs of the tests have no Objective-C runtime. Each lookup drops the bindings of released views.
            private struct Entry {
                weak var view: AnyObject?
                let binding: ViewBinding
            }
            private static var entries: [ObjectIdentifier: Entry] = [:]

            static func binding(of view: AnyObject) -> ViewBinding? {
                entries = entries.filter { $0.value.view != nil }
                return entries[ObjectIdentifier(view)]?.binding
            }

            static func set(_ binding: ViewBinding, of view: AnyObject) {
                entries[ObjectIdentifier(view)] = Entry(view: view, binding: binding)
            }
        #endif
    }
#endif
