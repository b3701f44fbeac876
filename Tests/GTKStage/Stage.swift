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
                case "scroll": Scrolling(LoadedScene(columns: 10, stripes: false))
                case "plain": Scrolling(PlainScene(columns: 10))
                case "dense": Scrolling(LoadedScene(columns: 5, stripes: true))
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
        let box = unsafe Unmanaged.passRetained(Tick(tick)).toOpaque()
        unsafe calotype_stage_every(
            milliseconds,
            { context in
                let address = UInt(bitPattern: context)
                return MainActor.assumeIsolated {
                    guard let context = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return false }
                    return unsafe Unmanaged<Tick>.fromOpaque(context).takeUnretainedValue().tick()
                }
            }, box)
    }

    @MainActor private final class Tick {
        let tick: @MainActor () -> Bool
        init(_ tick: @escaping @MainActor () -> Bool) { self.tick = tick }
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
