/// Which loads wait for which background transfer: a value. Each method is one event and returns what to do.
///
/// A transfer has its request's key, and the number that the session gives it: reports for a number that is no
/// longer the key's are ignored.
struct BackgroundTable: Equatable, Sendable {
    struct Transfer: Equatable, Sendable {
        var number: Int
        /// Bytes received so far.
        var received = 0
        /// The largest of the waiters' limits, in bytes.
        var limit: Int
        /// The limits of the waiters, in bytes, by waiter.
        var waiters: [Int: Int] = [:]
    }

    enum JoinResult: Equatable, Sendable {
        /// There is no such transfer.
        case none
        case joined
        /// The system has not begun the transfer, and the load does not wait for that. Without other waiters the
        /// transfer is cancelled.
        case overtakes(cancelling: Int?)
    }

    private(set) var running: [String: Transfer] = [:]
    /// Numbers that ended before the transfers of earlier launches were known; `nil` once they are.
    private var ended: Set<Int>? = []
    /// Numbers that were cancelled, and may still succeed.
    private var unwanted: Set<Int> = []

    /// A load wants the bytes.
    ///
    /// - Parameter isPatient: whether it waits for a transfer that has not begun.
    mutating func joinRunning(_ key: String, waiter: Int, limit: Int, isPatient: Bool) -> JoinResult {
        guard let transfer = running[key] else { return .none }
        guard isPatient || transfer.received > 0 else {
            guard transfer.waiters.isEmpty else { return .overtakes(cancelling: nil) }
            cancel(key, transfer)
            return .overtakes(cancelling: transfer.number)
        }
        join(key, waiter: waiter, limit: limit)
        return .joined
    }

    private mutating func join(_ key: String, waiter: Int, limit: Int) {
        guard var transfer = running[key] else { return }
        transfer.waiters[waiter] = limit
        transfer.limit = max(transfer.limit, limit)
        running[key] = transfer
    }

    /// A transfer is about to be started. Returns `false` when another one was started meanwhile, which the waiter
    /// joins.
    mutating func begin(_ key: String, number: Int, waiter: Int, limit: Int) -> Bool {
        let isFirst = running[key] == nil
        if isFirst { running[key] = Transfer(number: number, limit: limit) }
        join(key, waiter: waiter, limit: limit)
        return isFirst
    }

    /// Adds the transfers of earlier launches that still run. Returns those that are not needed.
    ///
    /// - Parameter limit: the limit of each, in bytes.
    mutating func restore(_ found: [(key: String, number: Int, received: Int)], limit: Int) -> [Int] {
        defer { ended = nil }
        return found.compactMap { key, number, received in
            // The transfer may have ended since the list was made.
            guard ended?.contains(number) != true, running[key]?.number != number else { return nil }
            guard running[key] == nil else {
                unwanted.insert(number)
                return number
            }
            running[key] = Transfer(number: number, received: received, limit: limit)
            return nil
        }
    }

    /// Bytes were received. Returns the waiters whose limit is exceeded, and whether the transfer must be cancelled
    /// because no waiter accepts more.
    mutating func received(_ count: Int, announced: Int?, _ key: String, number: Int) -> (refusals: [Int], isOver: Bool) {
        guard var transfer = running[key], transfer.number == number else { return ([], false) }
        transfer.received = max(transfer.received, count)
        let size = max(count, announced ?? 0)
        let refusals = transfer.waiters.filter { $0.value < size }.keys.sorted()
        for waiter in refusals { transfer.waiters[waiter] = nil }
        let isOver = size > transfer.limit || (transfer.waiters.isEmpty && !refusals.isEmpty)
        if isOver { cancel(key, transfer) } else { running[key] = transfer }
        return (refusals, isOver)
    }

    private mutating func cancel(_ key: String, _ transfer: Transfer) {
        running[key] = nil
        unwanted.insert(transfer.number)
    }

    /// Whether a complete body is to be stored for a later load.
    ///
    /// - Parameter limit: the limit of a transfer whose load is not known, in bytes.
    func wants(_ count: Int, _ key: String, number: Int, limit: Int) -> Bool {
        guard !unwanted.contains(number) else { return false }
        return count <= (running[key]?.number == number ? running[key]?.limit ?? limit : limit)
    }

    /// The transfer succeeded or failed. Returns its waiters.
    mutating func end(_ key: String, number: Int) -> [Int] {
        ended?.insert(number)
        unwanted.remove(number)
        guard running[key]?.number == number else { return [] }
        return running.removeValue(forKey: key)?.waiters.keys.sorted() ?? []
    }

    /// A load stops waiting. Returns the transfer to cancel: the last waiter's, unless its time was up, since
    /// then a later load may use the bytes.
    mutating func leave(_ key: String, waiter: Int, isTimeUp: Bool) -> Int? {
        guard var transfer = running[key], transfer.waiters.removeValue(forKey: waiter) != nil else { return nil }
        let isCancelled = transfer.waiters.isEmpty && !isTimeUp
        if isCancelled { cancel(key, transfer) } else { running[key] = transfer }
        return isCancelled ? transfer.number : nil
    }
}
