import Calotype
import Foundation

/// In which order the images of a list arrive.
package final class Arrivals: LoadObserving {
    private let order = Lock<(wanted: [URL: Int], arrived: [Int])>(([:], []))

    init() {}

    /// Forgets earlier arrivals and watches other URLs.
    package func watch(_ urls: [URL]) {
        order.withLock { $0 = (Dictionary(uniqueKeysWithValues: urls.enumerated().map { ($1, $0) }), []) }
    }

    /// The positions of the images that have arrived, in that order.
    package var arrived: [Int] { order.withLock { $0.arrived } }

    package func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        guard case .finished(.success) = observation, let url = request.source.url else { return }
        order.withLock { if let position = $0.wanted.removeValue(forKey: url) { $0.arrived.append(position) } }
    }
}

/// A list of images that are loaded for different purposes, all at once.
package struct PriorityList: Sendable {
    /// How many images there are.
    package static let count = 18
    /// The URLs, which are new in each list, so that no cache has them.
    package let urls: [URL]

    package init(_ server: LabServer) {
        let number = UInt32.random(in: 0 ... .max)
        urls = (0..<PriorityList.count).map { server.url("/tile/\($0).jpg?list=\(number)") }
    }

    /// Prefetches, plain loads and visible images take turns, so that the order of the requests is not that of arrival.
    package static func purpose(of position: Int) -> LoadPurpose {
        [.prefetch, .plain, .view][position % 3]
    }

    /// Whether all visible images arrived before all plain ones, and these before all prefetches.
    package static func isByPurpose(_ arrived: [Int]) -> Bool {
        let purposes = arrived.map { purpose(of: $0).rawValue }
        return arrived.count == count && purposes == purposes.sorted(by: >)
    }
}
