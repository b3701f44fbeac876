internal import ImageCore

/// The exchanges of a cache that are under way. An exchange learns from it whether its response may still be stored:
/// another one may have stored a newer response, or the resource may have been changed by an unsafe request (RFC 9111,
/// sections 4 and 4.4).
///
/// It knows the exchanges of this process only, and keeps nothing of a resource that has none.
final class OpenExchanges: Sendable {
    fileprivate struct Resource {
        var exchanges = 0
        var changes = 0
        /// The newest response stored while exchanges were under way.
        var newest: [Slot: StoredResponse] = [:]
    }

    /// What a newer response replaces: one variant for one user.
    fileprivate struct Slot: Hashable {
        let key: DataKey
        let vary: VaryKey?
    }

    fileprivate let resources = Lock<[ResourceKey: Resource]>([:])

    /// Begins an exchange. It ends when the ticket is released.
    func begin(for resource: ResourceKey, primaryKey: DataKey) -> ExchangeTicket {
        let changes = resources.withLock { resources in
            resources[resource, default: Resource()].exchanges += 1
            return resources[resource]?.changes ?? 0
        }
        return ExchangeTicket(exchanges: self, resource: resource, key: primaryKey, changes: changes)
    }

    /// An unsafe request has changed the resource. Responses to requests that were sent before must not be stored.
    func hasChanged(_ resource: ResourceKey) {
        resources.withLock { $0[resource]?.changes += 1 }
    }

    fileprivate func end(_ resource: ResourceKey) {
        resources.withLock { resources in
            guard let open = resources[resource] else { return }
            if open.exchanges == 1 { resources[resource] = nil } else { resources[resource]?.exchanges -= 1 }
        }
    }
}

/// One exchange that is under way, as long as anyone holds its ticket: who may still store the response.
final class ExchangeTicket: Sendable {
    private let exchanges: OpenExchanges
    private let resource: ResourceKey
    private let key: DataKey
    private let changes: Int

    fileprivate init(exchanges: OpenExchanges, resource: ResourceKey, key: DataKey, changes: Int) {
        (self.exchanges, self.resource, self.key, self.changes) = (exchanges, resource, key, changes)
    }

    deinit { exchanges.end(resource) }

    /// Whether the response must not be stored any more.
    func isOutdated(_ response: StoredResponse) -> Bool {
        let open = exchanges.resources.withLock { $0[resource] }
        guard let open, open.changes == changes else { return true }
        return open.newest[OpenExchanges.Slot(key: key, vary: response.vary)]?.isNewer(than: response) ?? false
    }

    /// The response is about to be stored.
    func willStore(_ response: StoredResponse) {
        let slot = OpenExchanges.Slot(key: key, vary: response.vary)
        exchanges.resources.withLock { resources in
            if let newest = resources[resource]?.newest[slot], newest.isNewer(than: response) { return }
            resources[resource]?.newest[slot] = response
        }
    }
}
