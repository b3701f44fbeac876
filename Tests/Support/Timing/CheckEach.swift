/// Checks each element of a list, several at a time, so that a long test uses all processors.
///
/// - Parameters:
///   - elements: What to check.
///   - count: How many checks run at once; by default two, since the project's time limits are for two processors.
///   - check: Called once per element, in tasks of the test. An error ends the checks.
package func checkEach<Element: Sendable>(
    of elements: some Sequence<Element>, atATime count: Int = 2, _ check: @escaping @Sendable (Element) async throws -> Void
) async throws {
    var rest = elements.makeIterator()
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count { if let next = rest.next() { group.addTask { try await check(next) } } }
        while try await group.next() != nil { if let next = rest.next() { group.addTask { try await check(next) } } }
    }
}
