import Calotype
import Dispatch
import Foundation

/// The ThumbHashes of the images, at most 25 bytes each, which cells show as placeholders. The hashes of served images are known in
/// advance, as if a service sent them. The hash of another image is computed when the image is first loaded.
final class Hashes: LoadObserving {
    private let known = Lock([URL: Data]())
    /// Computes hashes, so that loads do not wait for them.
    private let queue = DispatchQueue(label: "gallery.hashes", qos: .utility)

    func placeholder(for url: URL) -> Placeholder? {
        known.withLock { $0[url] }.map { .thumbHash($0) }
    }

    func add(_ hash: Data, for url: URL) { known.withLock { $0[url] = hash } }

    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        guard case .finished(.success(let response)) = observation, case .url(let url) = request.source,
            known.withLock({ $0[url] }) == nil
        else { return }
        queue.async { [self] in if let hash = try? ThumbHash.encode(response.image) { add(Data(hash), for: url) } }
    }
}
