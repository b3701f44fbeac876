// A window for ImageTargetsGTKTests: GTK needs the main thread, which a test runner keeps for itself.

#if GTK
    import CCalotypeGTKStage
    import Dispatch
    import ImageTargetsGTK

    @main struct Stage {
        /// Synchronous, since GLib's loop takes the main thread.
        static func main() {
            GTKMainLoop.attach()
            let act: any Act =
                switch CommandLine.arguments.dropFirst().first {
                case "scroll": Scrolling(LoadedScene(columns: 10))
                case "slow": Scrolling(LoadedScene(columns: 10, hasSlowRequests: true))
                case "dense": Scrolling(LoadedScene(columns: 5, stripes: true))
                case "rows": Scrolling(LoadedScene(columns: 10, layout: .rows { "Picture \($0)" }))
                default: Conformance()
                }
            let box = unsafe Unmanaged.passRetained(Holder(act)).toOpaque()
            let isShown = unsafe calotype_stage_run(
                Int32(act.size.width), Int32(act.size.height),
                { context, window in
                    let addresses = (UInt(bitPattern: context), UInt(bitPattern: window))
                    MainActor.assumeIsolated {
                        guard let context = unsafe UnsafeMutableRawPointer(bitPattern: addresses.0),
                            let window = unsafe UnsafeMutableRawPointer(bitPattern: addresses.1)
                        else { return }
                        unsafe Unmanaged<Holder>.fromOpaque(context).takeUnretainedValue().act.begin(in: window)
                    }
                }, box)
            if !isShown { say("FAULT there is no display") }
        }
    }

    /// What happens in the window; it ends with `calotype_stage_quit`.
    @MainActor protocol Act: AnyObject {
        /// Of the window, in the application's pixels.
        var size: (width: Int, height: Int) { get }
        func begin(in window: UnsafeMutableRawPointer)
    }

    @MainActor final class Holder {
        let act: any Act
        init(_ act: any Act) { self.act = act }
    }

    /// Calls `tick` on the main actor every so many milliseconds until it returns false.
    @MainActor func every(_ milliseconds: UInt32, _ tick: @escaping @MainActor () -> Bool) {
        unsafe calotype_stage_every(milliseconds, Tick.call, Tick.kept(tick))
    }

    @MainActor func afterEachPaint(of window: UnsafeMutableRawPointer, _ tick: @escaping @MainActor () -> Void) {
        let kept = unsafe Tick.kept {
            tick()
            return true
        }
        unsafe calotype_stage_after_each_paint(window, Tick.call, kept)
    }

    /// What GTK calls on the main thread, kept for ever.
    @MainActor private final class Tick {
        private let tick: @MainActor () -> Bool
        private init(_ tick: @escaping @MainActor () -> Bool) { self.tick = tick }

        static func kept(_ tick: @escaping @MainActor () -> Bool) -> UnsafeMutableRawPointer {
            unsafe Unmanaged.passRetained(Tick(tick)).toOpaque()
        }

        nonisolated static let call: @convention(c) (UnsafeMutableRawPointer?) -> Bool = { context in
            let address = UInt(bitPattern: context)
            return MainActor.assumeIsolated {
                guard let context = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return false }
                return unsafe Unmanaged<Tick>.fromOpaque(context).takeUnretainedValue().tick()
            }
        }
    }

    /// One line for the test, at once.
    func say(_ line: String) {
        FileOutput.write(line + "\n")
    }
#else
    @main struct Stage {
        static func main() {}
    }
#endif
