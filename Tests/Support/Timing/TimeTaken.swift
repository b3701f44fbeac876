/// Returns how long `body` takes, corrected for delays of a busy machine.
///
/// A sleep of `limit` runs meanwhile. The time by which it ends late is subtracted from the time that `body` takes
/// beyond `limit`.
package func timeTaken(limit: Duration, by body: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    async let delay = delayOfSleep(until: start + limit)
    try await body()
    let taken = ContinuousClock.now - start
    return max(min(taken, limit), taken - (await delay))
}

private func delayOfSleep(until end: ContinuousClock.Instant) async -> Duration {
    try? await Task.sleep(until: end)
    return max(.zero, ContinuousClock.now - end)
}
