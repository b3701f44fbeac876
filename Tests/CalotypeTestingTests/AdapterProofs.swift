import CalotypeTesting
import ImageCore

/// A recording view with a fault.
private actor FaultyView: ImageViewAdapter {
    enum Fault { case ignoresLoading, keepsLabels, ignoresClear, ignoresFailures, keepsFirstImage, showsNoGray, none }
    private let base = RecordingView()
    private let fault: Fault
    private var hasImage = false

    init(_ fault: Fault) { self.fault = fault }

    var appearance: ViewAppearance { get async { await base.appearance } }

    func setImage(_ image: DecodedImage, transition: ImageTransition) async {
        if fault == .keepsFirstImage, hasImage { return }
        if fault == .showsNoGray, image.bitmap.format.channels == 1 { return await base.clear() }
        hasImage = true
        await base.setImage(image, transition: transition)
    }
    func clear() async {
        hasImage = false
        if fault != .ignoresClear { await base.clear() }
    }
    func setPlaceholder(_ placeholder: Placeholder) async { await base.setPlaceholder(placeholder) }
    func setLoading(_ isLoading: Bool) async { if fault != .ignoresLoading { await base.setLoading(isLoading) } }
    func setFailure(_ error: ImageError) async { if fault != .ignoresFailures { await base.setFailure(error) } }
    func setAccessibilityLabel(_ label: String?) async {
        if fault != .keepsLabels || label != nil { await base.setAccessibilityLabel(label) }
    }
}

private func proof(_ rule: String, _ fault: FaultyView.Fault) -> Proof {
    Proof("ImageViewAdapter.\(rule)", "\(fault)") {
        try await checkImageViewAdapterConformance(of: FaultyView(fault)) { await $0.appearance }
    }
}

let adapterProofs = [
    proof("showsLoads", .ignoresLoading), proof("showsMemoryHits", .keepsLabels), proof("showsTheLastRequest", .ignoresClear),
    proof("showsFailures", .ignoresFailures), proof("clears", .ignoresClear), proof("keepsImages", .keepsFirstImage),
    proof("showsPixelFormats", .showsNoGray), proof("endsCallsInOrder", .ignoresClear),
    Proof("ImageViewAdapter.followsPrograms", "ignoresClear") {
        try await checkImageViewAdapterPrograms(100, makeView: { FaultyView(.ignoresClear) }, appearance: { await $0.appearance })
    },
    Proof("ImageViewAdapter.showsLoads", "a view that never ends its call") {
        // The gate opens when the test ends.
        let gate = Gate()
        defer { gate.open() }
        actor Hanging: ImageViewAdapter {
            let gate: Gate
            init(_ gate: Gate) { self.gate = gate }
            func setImage(_ image: DecodedImage, transition: ImageTransition) async {}
            func setPlaceholder(_ placeholder: Placeholder) async { try? await gate.pass() }
            func clear() {}
        }
        try await checkImageViewAdapterConformance(of: Hanging(gate), limit: .milliseconds(50)) { _ in ViewAppearance(color: []) }
    },
]
