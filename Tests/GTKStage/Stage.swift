// A window for ImageTargetsGTKTests: GTK needs the main thread, which a test runner keeps for itself.

#if GTK
    import CCalotypeGTK
    import Dispatch
    import ImageTargetsGTK

    @main struct Stage {
        /// Synchronous, since GLib's loop takes the main thread.
        static func main() {
            GTKMainLoop.attach()
            let act: any Act = CommandLine.arguments.contains("scroll") ? Scrolling() : Conformance()
            let box = unsafe Unmanaged.passRetained(Holder(act)).toOpaque()
            let isShown = unsafe calotype_gtk_run(
                960, 720,
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

    /// What happens in the window; it ends with `calotype_gtk_quit`.
    @MainActor protocol Act: AnyObject {
        func begin(in window: UnsafeMutableRawPointer)
    }

    @MainActor final class Holder {
        let act: any Act
        init(_ act: any Act) { self.act = act }
    }

    /// Calls `tick` on the main actor every so many milliseconds until it returns false.
    @MainActor func every(_ milliseconds: UInt32, _ tick: @escaping @MainActor () -> Bool) {
        let box = unsafe Unmanaged.passRetained(Tick(tick)).toOpaque()
        unsafe calotype_gtk_every(
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
