/// Writes all of some bytes, though the system may take fewer of them at a time: a signal interrupts a write, a pipe is
/// full, or the disk has room for a part.
package enum WholeWrite {
    /// Calls `write` until it has taken all bytes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - write: takes the first bytes of the rest, which begins after the `written` bytes. Returns how many it took,
    ///     or -1 with the reason in `errno`.
    /// - Returns: the system's error code; `nil` on success.
    package static func run(
        _ bytes: UnsafeRawBufferPointer, _ write: (_ rest: UnsafeRawBufferPointer, _ written: Int) -> Int
    ) -> Int32? {
        var written = 0
        while written < bytes.count {
            let count = unsafe write(UnsafeRawBufferPointer(rebasing: bytes[written...]), written)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return count == 0 ? ENOSPC : errno }
            written += count
        }
        return nil
    }
}
