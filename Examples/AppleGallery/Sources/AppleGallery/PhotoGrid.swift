import Calotype
import UIKit

/// The data source of a collection view with reused cells, which prefetches the next images.
@MainActor final class PhotoGrid: NSObject, UICollectionViewDataSource {
    var photos: [Photo] = []
    // The collection view has only a weak reference to its prefetcher.
    private var prefetcher: ListPrefetcher?

    func connect(to view: UICollectionView, cellSize: CGSize) {
        view.register(PhotoCell.self, forCellWithReuseIdentifier: "photo")
        let scale = view.traitCollection.displayScale
        let prefetcher = ListPrefetcher { [weak self] place in
            guard let self, photos.indices.contains(place.item) else { return nil }
            var request = photos[place.item].request
            // A prefetch has no view, so it needs the size and the mode of the cells.
            request.options.targetSize = PixelSize(width: cellSize.width, height: cellSize.height, scale: scale)
            request.options.contentMode = .fill
            return request
        }
        (self.prefetcher, view.dataSource, view.prefetchDataSource) = (prefetcher, self, prefetcher)
    }

    func collectionView(_ view: UICollectionView, numberOfItemsInSection section: Int) -> Int { photos.count }

    func collectionView(_ view: UICollectionView, cellForItemAt place: IndexPath) -> UICollectionViewCell {
        let cell = view.dequeueReusableCell(withReuseIdentifier: "photo", for: place)
        (cell as? PhotoCell)?.show(photos[place.item])
        return cell
    }
}
