import ImageCore
import Testing

@Suite struct LoadProgressShares {
    @Test(arguments: [(0, nil, nil), (7, nil, nil), (7, 0, nil), (0, 8, 0), (2, 8, 0.25), (8, 8, 1)] as [(Int, Int?, Double?)])
    func theFractionIsTheShareOfTheExpectedBytes(received: Int, expected: Int?, fraction: Double?) {
        #expect(LoadProgress(received: received, expected: expected).fraction == fraction)
    }

    /// The decoded body of a response with a content coding is longer than the response says.
    @Test func theFractionIsNeverAboveOne() {
        #expect(LoadProgress(received: 9, expected: 8).fraction == 1)
    }
}
