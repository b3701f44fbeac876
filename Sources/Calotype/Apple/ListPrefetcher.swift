#if canImport(UIKit) && !os(watchOS)
    public import Foundation
    public import ImageCore
    public import ImageLoading
    public import UIKit

    /// Prefetches what a collection view or a table view is about to show: its `prefetchDataSource`.
    ///
    /// ```swift
    /// @MainActor func prefetch(_ requests: [ImageRequest], for view: UICollectionView) -> ListPrefetcher {
    ///     let prefetcher = ListPrefetcher { requests[$0.item] }
    ///     view.prefetchDataSource = prefetcher
    ///     return prefetcher  // The view holds it weakly.
    /// }
    /// ```
    @MainActor
    public final class ListPrefetcher: NSObject, UICollectionViewDataSourcePrefetching, UITableViewDataSourcePrefetching {
        private let prefetcher: ImagePrefetcher
        private let request: (IndexPath) -> ImageRequest?

        /// - Parameters:
        ///   - prefetcher: one of ``ImageLoader/shared`` by default.
        ///   - request: what the cell at a place will ask for, the same size and processors included; `nil` for nothing.
        public init(
            _ prefetcher: ImagePrefetcher = ImagePrefetcher(loader: .shared), request: @escaping (IndexPath) -> ImageRequest?
        ) {
            (self.prefetcher, self.request) = (prefetcher, request)
        }

        public func collectionView(_ view: UICollectionView, prefetchItemsAt places: [IndexPath]) { start(places) }
        public func collectionView(_ view: UICollectionView, cancelPrefetchingForItemsAt places: [IndexPath]) { stop(places) }
        public func tableView(_ view: UITableView, prefetchRowsAt places: [IndexPath]) { start(places) }
        public func tableView(_ view: UITableView, cancelPrefetchingForRowsAt places: [IndexPath]) { stop(places) }

        private func start(_ places: [IndexPath]) { prefetcher.start(places.compactMap(request)) }
        private func stop(_ places: [IndexPath]) { prefetcher.stop(places.compactMap(request)) }
    }
#endif
