extension Duration {
    /// The duration, or thirty years if it is longer. Adding a longer duration to an instant of a clock may overflow,
    /// which ends the process.
    package var clampedToClockRange: Duration { min(self, .seconds(1_000_000_000)) }
}
