import Calotype
import SwiftUI
import Testing

/// An app that imports both modules names SwiftUI's types without their module (APPLE E4).
@Suite struct NamesOfSwiftUI {
    private struct Slide: Transition {}

    @Test func theyAreNotAmbiguous() {
        let shape: Circle = Circle()
        let mode: ContentMode = .fit
        #expect(mode == .fit && shape is SwiftUI.Circle)
        let slide: any Transition = Slide()
        #expect(slide is Slide)
    }
}
