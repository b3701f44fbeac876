/// Who waits for which background transfer: a value, each call one event, which returns what is to be done.
///
/// A transfer is known by its request's key, and by the number that the session gives it: what is reported of a number that is no
/// longer the key's comes too late.
struct BackgroundTable: Equatable, Sendable {
    struct Transfer: Equatable, Sendable {
        var number: Int
        /// Bytes that have come.
        var received = 0
        /// The most bytes that anyone takes.
        var limit: Int
        /// Each with the most bytes that it takes.
        var waiters: [Int: Int] = [:]
    }

    enum Answer: Equatable, Sendable {
        /// There is no such transfer.
        case none
        case joined
        /// The system has not begun, and who asks does not wait for that. The transfer is given up where nobody else waits.
        case overtakes(cancelling: Int?)
    }

    private(set) var running: [String: Transfer] = [:]
    /// Numbers that ended before it was known what runs since an earlier launch; `nil` once it is.
    private var ended: Set<Int>? = []
    /// Numbers that were given up, and may yet end well.
    private var unwanted: Set<Int> = []

    /// Somebody wants the bytes.
    ///
    /// - Parameter isPatient: whether it waits for a transfer that has not begun.
    mutating func ask(_ key: String, waiter: Int, limit: Int, isPatient: Bool) -> Answer {
        guard let transfer = running[key] else { return .none }
        guard isPatient || transfer.received > 0 else {
            guard transfer.waiters.isEmpty else { return .overtakes(cancelling: nil) }
            giveUp(key, transfer)
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

    /// A transfer is about to be started; `false` where another one was meanwhile, which is joined.
    mutating func begin(_ key: String, number: Int, waiter: Int, limit: Int) -> Bool {
        let isFirst = running[key] == nil
        if isFirst { running[key] = Transfer(number: number, limit: limit) }
        join(key, waiter: waiter, limit: limit)
        return isFirst
    }

    /// What runs since an earlier launch. Returns those that are not needed.
    ///
    /// - Parameter limit: the most bytes of each.
    mutating func restore(_ found: [(key: String, number: Int, received: Int)], limit: Int) -> [Int] {
        defer { ended = nil }
        return found.compactMap { key, number, received in
            // It may have ended since the list was made.
            guard ended?.contains(number) != true, running[key]?.number != number else { return nil }
            guard running[key] == nil else {
                unwanted.insert(number)
                return number
            }
            running[key] = Transfer(number: number, received: received, limit: limit)
            return nil
        }
    }

    /// Bytes have come. Returns the waiters that take no more, and whether nobody does, which ends the transfer.
    mutating func received(_ count: Int, announced: Int?, _ key: String, number: Int) -> (refusals: [Int], isOver: Bool) {
        guard var transfer = running[key], transfer.number == number else { return ([], false) }
        transfer.received = max(transfer.received, count)
        let size = max(count, announced ?? 0)
        let refusals = transfer.waiters.filter { $0.value < size }.keys.sorted()
        for waiter in refusals { transfer.waiters[waiter] = nil }
        let isOver = size > transfer.limit || (transfer.waiters.isEmpty && !refusals.isEmpty)
        if isOver { giveUp(key, transfer) } else { running[key] = transfer }
        return (refusals, isOver)
    }

    private mutating func giveUp(_ key: String, _ transfer: Transfer) {
        running[key] = nil
        unwanted.insert(transfer.number)
    }

    /// Whether a body that is whole is still wanted, for nobody in particular.
    ///
    /// - Parameter limit: the most bytes, where it is not known who began the transfer.
    func wants(_ count: Int, _ key: String, number: Int, limit: Int) -> Bool {
        guard !unwanted.contains(number) else { return false }
        return count <= (running[key]?.number == number ? running[key]?.limit ?? limit : limit)
    }

    /// The transfer is over, in whatever way. Returns who waits for it.
    mutating func end(_ key: String, number: Int) -> [Int] {
        ended?.insert(number)
        unwanted.remove(number)
        guard running[key]?.number == number else { return [] }
        return running.removeValue(forKey: key)?.waiters.keys.sorted() ?? []
    }

    /// Somebody does not wait any more. Returns the transfer that is given up with it: none where the time was up, since
    /// then the bytes are still wanted.
    mutating func leave(_ key: String, waiter: Int, isTimeUp: Bool) -> Int? {
        guard var transfer = running[key], transfer.waiters.removeValue(forKey: waiter) != nil else { return nil }
        let isGivenUp = transfer.waiters.isEmpty && !isTimeUp
        if isGivenUp { giveUp(key, transfer) } else { running[key] = transfer }
        return isGivenUp ? transfer.number : nil
    }
}
