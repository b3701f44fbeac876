// A program with a GTK window for ImageTargetsGTKTests. GTK needs the main thread, which the test runner occupies.

import CCalotypeGTKStage
import Dispatch
import ImageTargetsGTK

@main struct Stage {
    /// Synchronous, since GLib's loop occupies the main thread.
    static func main() {
        GTKMainLoop.attach()
        let scenario: any Scenario =
            switch CommandLine.arguments.dropFirst().first {
            case "scroll": ListScenario(ServedList(columns: 10))
            case "slow": ListScenario(ServedList(columns: 10, hasSlowRequests: true))
            case "dense": ListScenario(ServedList(columns: 5, usesChequerboards: true))
            case "rows": ListScenario(ServedList(columns: 10, layout: .rows { "Image \($0)" }))
            case "soak": SoakScenario(seconds: CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 5)
            case "view": ViewScenario()
            case "items": ItemsScenario()
            default: ConformanceScenario()
            }
        let box = unsafe Unmanaged.passRetained(Holder(scenario)).toOpaque()
        let isShown = unsafe clt_stage_run(
            Int32(scenario.windowSize.width), Int32(scenario.windowSize.height),
            { context, window in
                let addresses = (UInt(bitPattern: context), UInt(bitPattern: window))
                MainActor.assumeIsolated {
                    guard let context = unsafe UnsafeMutableRawPointer(bitPattern: addresses.0),
                        let window = unsafe UnsafeMutableRawPointer(bitPattern: addresses.1)
                    else { return }
                    unsafe Unmanaged<Holder>.fromOpaque(context).takeUnretainedValue().scenario.start(in: window)
                }
            }, box)
        if !isShown { printLine("FAILED there is no display") }
    }
}

/// What a window shows, and what is checked there. It ends with `clt_stage_quit`.
@MainActor protocol Scenario: AnyObject {
    /// The size of the window, in the application's pixels.
    var windowSize: (width: Int, height: Int) { get }
    func start(in window: UnsafeMutableRawPointer)
}

extension Scenario {
    /// Prints the result of a check.
    func expect(_ condition: Bool, _ name: String) { printLine("\(condition ? "PASS" : "FAILED") \(name)") }

    /// Waits until a condition holds, at most ten seconds, and prints whether it does.
    func expect(_ name: String, _ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(10)
        while !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        expect(condition(), name)
    }
}

@MainActor final class Holder {
    let scenario: any Scenario
    init(_ scenario: any Scenario) { self.scenario = scenario }
}

/// Calls `tick` on the main actor in intervals of `milliseconds` until it returns false.
@MainActor func every(_ milliseconds: UInt32, _ tick: @escaping @MainActor () -> Bool) {
    unsafe clt_stage_every(milliseconds, Tick.call, Tick.retained(tick))
}

/// Calls `tick` on the main actor after each frame of a window.
@MainActor func afterEachPaint(of window: UnsafeMutableRawPointer, _ tick: @escaping @MainActor () -> Void) {
    let context = unsafe Tick.retained {
        tick()
        return true
    }
    unsafe clt_stage_after_each_paint(window, Tick.call, context)
}

/// A closure that GTK calls on the main thread. It is never released.
@MainActor private final class Tick {
    private let tick: @MainActor () -> Bool
    private init(_ tick: @escaping @MainActor () -> Bool) { self.tick = tick }

    static func retained(_ tick: @escaping @MainActor () -> Bool) -> UnsafeMutableRawPointer {
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

/// Prints a line to the test, without buffering.
func printLine(_ line: String) {
    FileOutput.write(line + "\n")
}
