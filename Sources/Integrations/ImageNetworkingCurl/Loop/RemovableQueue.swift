internal import DequeModule

/// A queue of distinct elements from which any element can be removed in constant time on average.
///
/// Removing an element leaves its entry behind. The queue drops such stale entries at the front at once, and all others when
/// they are more than half of the entries.
struct RemovableQueue<Element: Hashable> {
    private var entries: Deque<(element: Element, ticket: Int)> = []
    /// The ticket of each element's entry. An entry with another ticket is stale.
    private var tickets: [Element: Int] = [:]
    private var nextTicket = 0

    var isEmpty: Bool { tickets.isEmpty }

    /// The elements in their order.
    var elements: [Element] { entries.filter(isCurrent).map(\.element) }

    /// The first element that fulfils the condition.
    func first(where condition: (Element) -> Bool) -> Element? {
        entries.first { isCurrent($0) && condition($0.element) }?.element
    }

    /// Adds an element at the end; one that is in the queue already keeps its place.
    mutating func append(_ element: Element) {
        guard tickets[element] == nil else { return }
        tickets[element] = nextTicket
        entries.append((element, nextTicket))
        nextTicket += 1
    }

    /// Removes and returns the first element; `nil` when the queue is empty.
    mutating func removeFirst() -> Element? {
        // The first entry is never stale.
        guard let first = entries.first?.element else { return nil }
        remove(first)
        return first
    }

    /// Removes an element. Returns whether the queue had it.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        guard tickets.removeValue(forKey: element) != nil else { return false }
        while let first = entries.first, !isCurrent(first) { entries.removeFirst() }
        if entries.count > 2 * tickets.count { entries = Deque(entries.filter(isCurrent)) }
        return true
    }

    private func isCurrent(_ entry: (element: Element, ticket: Int)) -> Bool { tickets[entry.element] == entry.ticket }
}
