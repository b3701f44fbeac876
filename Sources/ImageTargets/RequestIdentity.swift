package import ImageCore

/// What two requests have in common for views to treat them as equal. For frameworks that compare the inputs of a view.
package struct RequestIdentity: Hashable {
    private let identity: BindingState.Identity

    /// Makes the identity of a request to a loader.
    package init(_ request: ImageRequest, _ loader: any ImageProviding) {
        // If an option is out of range, the load reports it.
        identity = BindingState.identity(request, (try? loader.options(for: request)) ?? LoadOptions())
    }
}
