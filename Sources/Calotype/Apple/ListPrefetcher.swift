#if canImport(UIKit) && !os(watchOS)
    public import Foundation
    public import ImageCore
    public import ImageLoading
    public import UIKit

    /// Prefetches the images that a collection view or a table view is about to show. Set it as the view's
    /// `prefetchDataSource`.
    ///
    /// ```swift
    /// @MainActor func prefetch(_ requests: [ImageRequest], for view: UICollectionView) -> ListPrefetcher {
    ///     let prefetcher = ListPrefetcher { requests.indices.contains($0.item) ? requests[$0.item] : nil }
    ///     view.prefetchDataSource = prefetcher
    ///     return prefetcher  // Keep it: the view has only a weak reference.
    /// }
    /// ```
    @MainActor
    public final class ListPrefetcher: NSObject, UICollectionViewDataSourcePrefetching, UITableViewDataSourcePrefetching {
        private let prefetcher: ImagePrefetcher
        private let request: (IndexPath) -> ImageRequest?
        /// What was started, oldest first. The list cancels index paths of the data as it was then, which may have
        /// changed.
        private var started: [(place: IndexPath, request: ImageRequest)] = []

        /// Makes a prefetcher for a list.
        ///
        /// - Parameters:
        ///   - prefetcher: prefetches the images; by default with ``ImageLoader/shared``.
        ///   - request: returns the request that the cell at an index path will make, with the same target size and
        ///     processors, or `nil` for no image. It is called only to start prefetches.
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

        private func start(_ places: [IndexPath]) {
            let new = places.compactMap { place in request(place).map { (place: place, request: $0) } }
            started += new
            // Lists do not cancel what they show, so older entries are forgotten.
            started.removeFirst(max(0, started.count - 256))
            prefetcher.start(new.map(\.request))
        }

        private func stop(_ places: [IndexPath]) {
            let places = Set(places)
            prefetcher.stop(started.filter { places.contains($0.place) }.map(\.request))
            started.removeAll { places.contains($0.place) }
        }
    }
#endif
