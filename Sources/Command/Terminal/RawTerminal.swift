internal import CalotypeSystem

/// The controlling terminal of the process while keys arrive one by one and are not echoed.
struct RawTerminal: Sendable {
    private let descriptor: Int32
    private let before: termios

    /// Changes the settings of the terminal until ``restore()``. `nil` without a terminal, and for a background job,
    /// which the system stops when it changes them.
    init?() {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        var settings = termios()
        guard tcgetpgrp(descriptor) == getpgrp(), unsafe tcgetattr(descriptor, &settings) == 0 else {
            close(descriptor)
            return nil
        }
        (self.descriptor, before) = (descriptor, settings)
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        guard unsafe tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
            close(descriptor)
            return nil
        }
    }

    /// Discards the input that was not read, and restores the settings.
    func restore() {
        var before = before
        _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
        close(descriptor)
    }

    /// Returns whether all of a text was written.
    func write(_ text: String) -> Bool { Console.writeAll(text, to: descriptor) == nil }

    /// Returns the next bytes of input, at most 512; none if the terminal is gone, and `nil` if none come in time.
    func read(within time: Duration) -> [UInt8]? {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: Int((time / .milliseconds(1)).rounded(.up)))
        guard milliseconds > 0, unsafe poll(&poller, 1, milliseconds) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = unsafe CalotypeSystem.read(descriptor, &buffer, buffer.count)
        return Array(buffer.prefix(max(0, count)))
    }
}
