import Calotype
import SwiftUI
import Testing

/// An app that imports both modules names SwiftUI's types without their module (APPLE E4).
@Suite struct NamesOfSwiftUI {
    private struct Slide: Transition {}

    @Test func theyAreNotAmbiguous() {
        let shapes: [Circle] = [Circle()]
        let modes: [ContentMode] = [.fit]
        let transitions: [any Transition] = [Slide()]
        #expect(shapes.count + modes.count + transitions.count == 3)
    }
}
