#if GTK
    import CCalotypeGTKStage
    import CalotypeTesting
    import ImageCore
    import ImageTargetsGTK

    /// The behaviour suite of adapters on a real widget, and what is GTK's own: the fade, and the desktop's setting.
    final class Conformance: Act {
        /// Made when GTK runs.
        private lazy var view = unsafe GTKImageView()

        var size: (width: Int, height: Int) { (960, 720) }

        func begin(in window: UnsafeMutableRawPointer) {
            unsafe calotype_stage_set_child(window, view.widget)
            Task {
                do {
                    try await checkImageViewAdapterConformance(of: view) { view in await Conformance.look(view) }
                    say("PASS conformance")
                    try await checkImageViewAdapterPrograms(
                        makeView: { unsafe GTKImageView() }, appearance: { Conformance.look($0) })
                    say("PASS programs")
                    progress()
                    try checkFade()
                } catch {
                    say("FAULT \(error)")
                    calotype_stage_quit()
                }
            }
        }

        private static func look(_ view: GTKImageView) -> ViewAppearance {
            ViewAppearance(
                color: Array(view.middleColor()?.prefix(3) ?? []), isLoading: view.isLoading, hasFailed: view.hasFailed,
                label: view.accessibilityLabel ?? "")
        }

        /// A request that replaces another one is told as a load that begins, while the bar of the first is still there.
        private func progress() {
            view.setLoading(true)
            view.setProgress(LoadProgress(received: 1, expected: 2))
            let first = view.progress
            view.setLoading(true)
            say(first == 0.5 && view.progress == nil ? "PASS progress" : "FAULT the progress of the load before is shown")
            view.setLoading(false)
        }

        /// From red to blue: a slow fade is seen on its way, however seldom a busy machine lets this look, and a short one comes
        /// to its end.
        private func checkFade() throws {
            calotype_stage_set_animates(true)
            if view.prefersReducedMotion() { say("FAULT the desktop's setting for animations is not seen") }
            let (red, blue) = (try TestImages.solid(red: 250), try TestImages.solid(blue: 250))
            func fade(for time: Duration) {
                view.setImage(red, transition: .none)
                view.setImage(blue, transition: .fade(time))
            }
            fade(for: .seconds(4))
            var blends: Set<[UInt8]> = []
            var turns = 0
            every(10) { [self] in
                turns += 1
                let color = Array(view.middleColor()?.prefix(3) ?? [])
                if blends.count < 2, color.count == 3, color[0] > 10, color[2] > 10 {
                    blends.insert(color)
                    if blends.count == 2 { fade(for: .milliseconds(200)) }
                    return true
                }
                guard color == [0, 0, 250] || turns > 1000 else { return true }
                say(
                    color == [0, 0, 250] && blends.count == 2 ? "PASS fade" : "FAULT fade: \(color) after \(blends.count) blends")
                calotype_stage_set_animates(false)
                if !view.prefersReducedMotion() { say("FAULT the desktop's setting against animations is not seen") }
                say("PASS motion")
                calotype_stage_quit()
                return false
            }
        }
    }
#endif
