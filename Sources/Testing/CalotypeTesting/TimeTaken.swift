/// How long `body` takes, without the delays of a busy machine: a sleep of `limit` runs meanwhile, and the time by which it is
/// late is subtracted from what `body` takes beyond `limit`.
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
