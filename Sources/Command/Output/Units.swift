/// Numbers with units, as text for people.
enum Units {
    /// `950 B`, `14.2 kB`, `3.10 MB`.
    static func bytes(_ count: Int) -> String {
        if count < 1000 { return "\(count) B" }
        var value = Double(count) / 1000
        for unit in ["kB", "MB"] {
            if value < 999.5 { return threeDigits(value) + " " + unit }
            value /= 1000
        }
        return threeDigits(value) + " GB"
    }

    /// `0.2 ms`, `14.2 ms`, `3.10 s`.
    static func time(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return milliseconds < 1000 ? fixed(milliseconds, 1) + " ms" : threeDigits(milliseconds / 1000) + " s"
    }

    /// `1 entry`, `12 entries`.
    static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

    /// Three significant digits below a thousand.
    private static func threeDigits(_ value: Double) -> String { fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0) }

    /// A number that is not negative, with `decimals` digits after the point.
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value < 1e15 else { return "\(value)" }
        let scale = (0..<decimals).reduce(1) { power, _ in power * 10 }
        let whole = Int((value * Double(scale)).rounded())
        guard decimals > 0 else { return "\(whole)" }
        let fraction = "\(whole % scale)"
        return "\(whole / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }
}
