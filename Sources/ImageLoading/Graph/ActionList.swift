/// What an event leaves to be done, in order. Nearly always that is one thing, which takes no array.
struct ActionList<Action: Sendable>: Sendable {
    private var first: Action?
    /// Those after the first; once taken, in reverse order, so that each can be moved out.
    private var rest: [Action] = []

    var isEmpty: Bool { first == nil && rest.isEmpty }

    mutating func append(_ action: consuming Action) {
        if first == nil { first = action } else { rest.append(action) }
    }

    /// The next one of a list that was taken; it is in the list no more.
    mutating func popFirst() -> Action? { first.take() ?? rest.popLast() }

    /// Empties the list and returns what was in it, to be popped.
    mutating func take() -> Self {
        guard first != nil else { return Self() }
        var taken = Self()
        swap(&taken, &self)
        unsafe taken.rest.withUnsafeMutableBufferPointer { rest in
            // An array's own reversal copies its elements.
            for index in 0..<rest.count / 2 { unsafe rest.swapAt(index, rest.count - 1 - index) }
        }
        return taken
    }
}
