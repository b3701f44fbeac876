import Calotype
import Dispatch
import Foundation

/// The pictures' ThumbHashes, 25 bytes each at most: what a cell shows until its picture comes. The gallery's own server sends
/// them with its list, as a service would; those of other pictures are taken when they come for the first time.
final class Hashes: LoadObserving {
    private let known = Lock([URL: Data]())
    /// Hashes are made beside the loads, which must not wait.
    private let queue = DispatchQueue(label: "gallery.hashes", qos: .utility)

    func placeholder(for url: URL) -> Placeholder? {
        known.withLock { $0[url] }.map { .hash(PlaceholderHash($0) { try ThumbHash.decode($0) }) }
    }

    func add(_ hash: Data, for url: URL) { known.withLock { $0[url] = hash } }

    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        guard case .finished(.success(let response)) = observation, case .url(let url) = request.source,
            known.withLock({ $0[url] }) == nil
        else { return }
        queue.async { [self] in if let hash = try? ThumbHash.encode(response.image) { add(Data(hash), for: url) } }
    }
}
