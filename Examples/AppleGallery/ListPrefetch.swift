import Calotype
import UIKit

@MainActor func prefetch(_ urls: [URL], for view: UICollectionView) -> ListPrefetcher {
    let prefetcher = ListPrefetcher { place in
        urls.indices.contains(place.item) ? ImageRequest(url: urls[place.item]) : nil
    }
    view.prefetchDataSource = prefetcher
    return prefetcher
}
