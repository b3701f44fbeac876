/// What an event leaves to be done, in order. Nearly always that is one thing, which takes no array.
struct ActionList<Action: Sendable>: Sequence, Sendable {
    private var first: Action?
    private var rest: [Action] = []

    mutating func append(_ action: Action) {
        if first == nil { first = action } else { rest.append(action) }
    }

    /// Empties the list and returns what was in it.
    mutating func take() -> Self {
        guard first != nil else { return Self() }
        var taken = Self()
        swap(&taken, &self)
        return taken
    }

    struct Iterator: IteratorProtocol {
        private var first: Action?
        private var rest: [Action].Iterator

        fileprivate init(_ first: Action?, _ rest: [Action]) {
            self.first = first
            self.rest = rest.makeIterator()
        }

        mutating func next() -> Action? { first.take() ?? rest.next() }
    }

    func makeIterator() -> Iterator { Iterator(first, rest) }
}
