internal import ImageCore

/// The prefetchers of a loader, by the calls that remove their waiting requests. A prefetcher is in the list as long as
/// it lives.
final class Prefetchers: Sendable {
    /// Removes the waiting requests of an owner, or all for `nil`.
    typealias StopWaiting = @Sendable (LoadOwner?) -> Void

    private let calls = Lock<[ObjectIdentifier: StopWaiting]>([:])

    func add(_ prefetcher: ImagePrefetcher, _ call: @escaping StopWaiting) {
        calls.withLock { $0[ObjectIdentifier(prefetcher)] = call }
    }

    func remove(_ prefetcher: ImagePrefetcher) { calls.withLock { $0[ObjectIdentifier(prefetcher)] = nil } }

    var isEmpty: Bool { calls.withLock { $0.isEmpty } }

    func stopWaiting(_ owner: LoadOwner?) {
        for call in calls.withLock({ Array($0.values) }) { call(owner) }
    }
}
