import CalotypeTesting
import ImageCore
import Testing

@testable import __Module__

@Suite(.timeLimit(.minutes(1))) @MainActor struct __Type__Tests {
    @Test func itKeepsTheContractOfViews() async throws {
        let view = __Type__()
        view.setImage(try TestImages.solid(red: 200), transition: .none)
        try #require(view.appearance.color == [200, 0, 0], "__Type__ shows nothing yet: write setImage(_:transition:) first.")
        try await checkImageViewAdapterConformance(of: __Type__()) { await $0.appearance }
        try await checkImageViewAdapterPrograms(500, makeView: { __Type__() }, appearance: { $0.appearance })
    }
}

extension __Type__ {
    /// What the view shows. `color` has red, green and blue of its middle, and nothing if it is empty.
    fileprivate var appearance: ViewAppearance {
        ViewAppearance(
            color: image.map(TestImages.color) ?? color, isLoading: isLoading, hasFailed: hasFailed, label: label)
    }
}
