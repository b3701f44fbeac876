/// A first-in, first-out queue in amortized constant time.
struct FIFOQueue<Element> {
    private var items: [Element] = []
    private var start = 0

    var count: Int { items.count - start }
    var first: Element? { start < items.count ? items[start] : nil }
    var elements: ArraySlice<Element> { items[start...] }

    mutating func append(_ element: Element) { items.append(element) }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard start < items.count else { return nil }
        let element = items[start]
        start += 1
        // The removed elements are freed when they are at least half of all.
        if start == items.count || start >= 64 && start * 2 >= items.count {
            items.removeFirst(start)
            start = 0
        }
        return element
    }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        items = items[start...].filter { !isUnwanted($0) }
        start = 0
    }
}
