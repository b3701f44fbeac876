internal import HTTPTypes
internal import ImageCore

/// What a look into the cache has found that has to be validated, for the loader that asks next: it need not be read, checked
/// and taken apart again.
///
/// Few and small ones, for a short time: a fetch that waits for its turn looks again. What is written meanwhile counts.
final class RecentLooks: Sendable {
    fileprivate struct Look {
        let fields: HTTPFields
        let entries: StoredEntries
        /// Seconds since 1970.
        let time: Double
    }

    /// At most so many, of bodies of so many bytes together, for so many seconds.
    private static let (most, mostBytes, longest) = (32, 2 << 20, 5.0)

    /// The oldest first.
    private let looks = Lock<[Look]>([])

    /// How many bytes of bodies are held.
    var byteCount: Int { looks.withLock { Self.bytes(of: $0) } }

    func note(_ entries: StoredEntries, for request: DataRequest, at now: Double) {
        looks.withLock { looks in
            looks.append(Look(fields: request.headerFields, entries: entries, time: now))
            while looks.count > Self.most || Self.bytes(of: looks) > Self.mostBytes || !looks[0].isRecent(now, Self.longest) {
                looks.removeFirst()
                if looks.isEmpty { return }
            }
        }
    }

    /// What was found for a request with these very fields, if that is a moment ago; it is held no longer.
    func take(_ key: DataKey, _ fields: HTTPFields, at now: Double) -> StoredEntries? {
        looks.withLock { looks in
            guard let index = looks.lastIndex(where: { $0.entries.baseKey == key && $0.fields == fields }) else { return nil }
            let look = looks.remove(at: index)
            return look.isRecent(now, Self.longest) ? look.entries : nil
        }
    }

    /// The place is written to, or emptied.
    func forget(_ key: DataKey) {
        looks.withLock { $0.removeAll { $0.entries.baseKey == key || $0.entries.matchKey == key } }
    }

    func forgetAll() { looks.withLock { $0 = [] } }

    private static func bytes(of looks: [Look]) -> Int { looks.reduce(0) { $0 + ($1.entries.match?.data.count ?? 0) } }
}

extension RecentLooks.Look {
    fileprivate func isRecent(_ now: Double, _ longest: Double) -> Bool { abs(now - time) <= longest }
}
