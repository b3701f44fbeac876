#if GTK
    /// What a cell of a list is bound to, what it shows, and what is to be done for it next: a value that decides, and touches
    /// nothing.
    package struct ListCellState: Equatable, Sendable {
        package enum Content: Sendable {
            case nothing
            /// What an earlier position left behind, or this one under other circumstances: a picture, or a load that runs.
            case stale
            /// What stands in for the picture. Its load has not begun.
            case placeholder
            /// The picture, or its load runs, or waits for the cell to come on screen.
            case complete
        }

        /// What is to be done for a cell, the most urgent first.
        package enum Step: Int, CaseIterable, Sendable {
            /// It is on screen, and must show something of its own before the frame is painted.
            case show
            /// It left the screen or its position, and its load must be given up, or lowered.
            case leave
            /// It is on screen, and its load must begin, or be as urgent as it was.
            case load
            /// It is near the screen: what it shows when it comes on it can be prepared.
            case prepare
            /// It is unbound, and need not keep what it shows.
            case clear
        }

        package private(set) var position: Int?
        package private(set) var isOnScreen = false
        package private(set) var content = Content.nothing
        /// Whether its target was told last that it is on screen; at first a target takes itself to be.
        package private(set) var isVisible = true
        /// Whether a load runs for what it shows.
        package var isLoading = false

        package init() {}

        package mutating func bind(_ position: Int) { self.position = position }

        package mutating func unbind() {
            (position, isOnScreen) = (nil, false)
            makeStale()
        }

        package mutating func setOnScreen(_ isOnScreen: Bool) { self.isOnScreen = isOnScreen }

        /// What it shows must be asked for again.
        package mutating func makeStale() { if content != .nothing { content = .stale } }

        package mutating func didShow() { content = .placeholder }

        package mutating func didLoad() { content = .complete }

        package mutating func didClear() { (content, isLoading) = (.nothing, false) }

        package mutating func didTell(_ isVisible: Bool) { self.isVisible = isVisible }

        /// `nil` when there is nothing to be done.
        package var step: Step? {
            guard position != nil else { return isLoading ? .leave : content == .nothing ? nil : .clear }
            switch content {
            case .nothing, .stale:
                if isOnScreen { return .show }
                return isLoading ? .leave : .prepare
            case .placeholder, .complete:
                if isOnScreen { return content == .placeholder || isLoading && !isVisible ? .load : nil }
                if isLoading && isVisible { return .leave }
                return content == .placeholder ? .prepare : nil
            }
        }
    }
#endif
