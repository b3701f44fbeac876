import Foundation
import ImageCaching
import Testing

/// The clocks of the caches have fractions of a second: freshness, times to live and the order of uses need them
/// (GAPS T6).
@Suite struct SystemClocks {
    @Test func theTimeIsThatOfTheSystem() {
        for _ in 0..<3 {
            let before = Date().timeIntervalSince1970
            let now = SystemClock.secondsSince1970()
            let after = Date().timeIntervalSince1970
            // Room for rounding in a Double of that size.
            #expect(before - 1e-5 <= now && now <= after + 1e-5)
        }
    }

    @Test func theUptimeGoesOnWithinASecond() {
        let clock = SuspendingClock()
        for step in 1...3 {
            let (began, first) = (clock.now, SystemClock.uptime())
            while clock.now - began < .milliseconds(step) {}
            let second = SystemClock.uptime()
            let longest = (clock.now - began) / .seconds(1)
            #expect(second - first >= Double(step) / 2000 && second - first <= longest)
        }
    }
}
