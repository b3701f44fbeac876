extension Duration {
    /// In seconds, for messages, such as `0.2 s` or `30 s`.
    package var inSeconds: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { return "\(seconds) s" }
        var fraction = String(milliseconds + 1000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(seconds).\(fraction) s"
    }
}
