import Testing

@testable import ImageCore

@Suite struct ResponseLimits {
    @Test func theStandardLimitIsATenthOfTheMemoryAndAtMost200Megabytes() {
        #expect(ResponseLimit.limit(memory: 512 << 20) == 53_687_091)
        #expect(ResponseLimit.limit(memory: 64 << 30) == 200_000_000)
    }

    @Test func theStandardLimitOfThisMachineIsInRange() {
        #expect(ResponseLimit.standard <= 200_000_000)
        #expect(ResponseLimit.standard >= 1_000_000)
    }
}
