#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    internal import Foundation
    public import ImageCore

    /// What Calotype adds to a view, behind the property `calotype` so that no name of the view's own is taken.
    ///
    /// The view keeps its binding: a new request replaces the old one, and when the view goes its load is cancelled.
    @MainActor public struct CalotypeView<View: PlatformImageView> {
        let view: View

        init(_ view: View) { self.view = view }

        /// Shows the image of a request, now or when it is loaded.
        ///
        /// - Parameter completion: called on the main actor once with the result, unless the request is replaced, repeated or
        ///   cancelled.
        public func setImage(
            with request: ImageRequest, from loader: any ImageProviding,
            completion: ImageTarget<PlatformViewAdapter>.MainActorCompletion? = nil
        ) {
            binding(for: loader).target.setImage(request, completion: completion)
        }

        /// Stops loading; what is shown stays.
        public func cancel() { binding?.target.cancel() }

        /// Stops loading and shows nothing: for `prepareForReuse`.
        public func clear() { binding?.target.clear() }

        /// Tells that the view came on screen, or went off it.
        public func setVisible(_ isVisible: Bool) { binding?.target.setVisible(isVisible) }

        /// What the view shows or waits for.
        public var currentSource: ImageSource? { binding?.target.currentSource }

        private var binding: ViewBinding? { ViewBindings.binding(of: view) }

        private func binding(for loader: any ImageProviding) -> ViewBinding {
            if let binding, binding.loader as AnyObject === loader as AnyObject { return binding }
            binding?.target.cancel()
            let made = ViewBinding(view, loader)
            ViewBindings.set(made, of: view)
            return made
        }
    }

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

    /// The binding of each view, as long as the view lives: an associated object where there is an Objective-C runtime.
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
            // Where the frameworks are stubs: bindings whose view is gone are dropped at the next look.
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
