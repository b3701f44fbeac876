#if canImport(UIKit) && !os(watchOS)
    public import Foundation
    public import ImageCore
    public import ImageLoading
    public import UIKit

    /// Prefetches the images that a collection view or a table view is about to show. Set it as the view's `prefetchDataSource`.
    ///
    /// ```swift
    /// @MainActor func prefetch(_ requests: [ImageRequest], for view: UICollectionView) -> ListPrefetcher {
    ///     let prefetcher = ListPrefetcher { requests[$0.item] }
    ///     view.prefetchDataSource = prefetcher
    ///     return prefetcher  // Keep it: the view has only a weak reference.
    /// }
    /// ```
    @MainActor
    public final class ListPrefetcher: NSObject, UICollectionViewDataSourcePrefetching, UITableViewDataSourcePrefetching {
        private let prefetcher: ImagePrefetcher
        private let request: (IndexPath) -> ImageRequest?

        /// Makes a prefetcher for a list.
        ///
        /// - Parameters:
        ///   - prefetcher: prefetches the images; by default with ``ImageLoader/shared``.
        ///   - request: returns the request that the cell at an index path will make, with the same target size and processors, or
        ///     `nil` for no image.
        public init(
            _ prefetcher: ImagePrefetcher = ImagePrefetcher(loader: .shared), request: @escaping (IndexPath) -> ImageRequest?
        ) {
            (self.prefetcher, self.request) = (prefetcher, request)
        }

        public func collectionView(_ view: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) { start(indexPaths) }
        public func collectionView(_ view: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]) {
            stop(indexPaths)
        }
        public func tableView(_ view: UITableView, prefetchRowsAt indexPaths: [IndexPath]) { start(indexPaths) }
        public func tableView(_ view: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) { stop(indexPaths) }

        private func start(_ indexPaths: [IndexPath]) { prefetcher.start(indexPaths.compactMap(request)) }
        private func stop(_ indexPaths: [IndexPath]) { prefetcher.stop(indexPaths.compactMap(request)) }
    }
#endif
