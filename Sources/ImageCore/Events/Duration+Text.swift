extension Duration {
    /// The duration in seconds, for messages, such as `0.2 s` or `30 s`.
    package var inSeconds: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { return "\(seconds) s" }
        var fraction = String(milliseconds + 1000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(seconds).\(fraction) s"
    }

    /// The duration in milliseconds below one second, else in seconds, such as `0.4 ms`, `31 ms` or `1.25 s`.
    package var inSecondsOrMilliseconds: String {
        guard self < .seconds(1) else { return inSeconds }
        let tenths = components.attoseconds / 100_000_000_000_000
        return tenths % 10 == 0 ? "\(tenths / 10) ms" : "\(tenths / 10).\(tenths % 10) ms"
    }
}
