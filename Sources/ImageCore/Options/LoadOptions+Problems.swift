extension LoadOptions {
    /// A part of a sentence for each option whose value is invalid, such as `timeout = 0.0 seconds must be positive`.
    var problems: [String] {
        var problems: [String] = []
        func require(_ isValid: Bool, _ rule: @autoclosure () -> String) {
            if !isValid { problems.append(rule()) }
        }
        require(timeout > .zero, "timeout = \(timeout) must be positive")
        if let deadline { require(deadline > .zero, "deadline = \(deadline) must be positive") }
        if let memoryLifetime { require(memoryLifetime > .zero, "memoryLifetime = \(memoryLifetime) must be positive") }
        if let diskLifetime { require(diskLifetime > .zero, "diskLifetime = \(diskLifetime) must be positive") }
        if let retries { require(0...100 ~= retries, "retries = \(retries) must be from 0 to 100") }
        if let maximumPixels { require(maximumPixels > 0, "maximumPixels = \(maximumPixels) must be positive") }
        if let maximumResponseBytes {
            require(maximumResponseBytes > 0, "maximumResponseBytes = \(maximumResponseBytes) must be positive")
        }
        if let targetSize {
            let shorter = min(targetSize.width, targetSize.height), longer = max(targetSize.width, targetSize.height)
            require(
                shorter >= 1 && longer <= 1_000_000, "targetSize = \(targetSize) must have sides from 1 to 1000000 pixels")
        }
        require(frame >= 0, "frame = \(frame) must not be negative")
        if let animationPlays {
            require(animationPlays >= 0, "animationPlays = \(animationPlays) must not be negative")
        }
        require(alpha != .opaque, "alpha = \(alpha) must be premultiplied or straight")
        // Header fields may contain credentials, so their values are never printed.
        require(headers.count <= 100, "headers = (\(headers.count) fields) must be at most 100 fields")
        if case .fade(let time) = transition { require(time >= .zero, "transition = \(transition) must not be negative") }
        if case .color(let red, let green, let blue, let alpha) = placeholder {
            require(
                [red, green, blue, alpha].allSatisfy { 0...1 ~= $0 },
                "placeholder = \(placeholder) must have components from 0 to 1")
        }
        return problems
    }
}
