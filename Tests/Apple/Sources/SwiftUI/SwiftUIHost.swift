/// Shows a view by SwiftUI's rules, as far as the image views depend on them:
///
/// - What a view keeps in its properties lives as long as the view is at the same place, and is retained.
/// - A body is evaluated when the view above it was evaluated, or when something that the view observes changes.
/// - `onAppear` and `onDisappear` are called for each view that the content consists of: never for an `EmptyView` or a condition
///   without a view, and again when a condition shows another view.
/// - `onChange` is called after a value changed, not for the first value.
@MainActor public final class SwiftUIHost {
    private var root: any View
    private var environment = EnvironmentValues()
    private var state = HostState()

    public init(_ root: any View, environment change: (inout EnvironmentValues) -> Void = { _ in }) {
        self.root = root
        change(&environment)
        state.isDirty = true
        update(evaluatesAll: true)
    }

    /// Shows another value of the view, as when the view above it is evaluated again.
    public func show(_ root: any View) {
        self.root = root
        update(evaluatesAll: true)
    }

    public func change(_ body: (inout EnvironmentValues) -> Void) {
        body(&environment)
        update(evaluatesAll: true)
    }

    public func setReducedMotion(_ isReduced: Bool) { change { $0.accessibilityReduceMotion = isReduced } }
    public func setScenePhase(_ phase: ScenePhase) { change { $0.scenePhase = phase } }
    public func setSize(_ size: CGSize) { change { $0.hostSize = size } }

    /// The views that are shown, in order, with what a screen reader speaks.
    public var shown: [(view: any View, accessibility: Accessibility)] {
        update()
        return state.outputs.map { ($0.view, $0.accessibility) }
    }
    public func views<V: View>(_ type: V.Type) -> [V] { shown.compactMap { $0.view as? V } }

    /// How often the body of each type of view was evaluated.
    public var evaluations: [String: Int] { state.evaluations }

    /// Evaluates what has changed, until nothing changes any more.
    public func update(evaluatesAll: Bool = false) {
        var evaluatesAll = evaluatesAll
        while evaluatesAll || !state.dirty.isEmpty {
            var pass = Pass(environment: environment, state: state, isEvaluating: evaluatesAll)
            evaluatesAll = false
            pass.show(root, "")
            pass.state.finish(with: pass)
        }
    }
}

@MainActor final class HostState {
    struct Output {
        let path: String
        let view: any View
        let accessibility: Accessibility
    }

    var isDirty = false
    var dirty: Set<String> = []
    var outputs: [Output] = []
    var evaluations: [String: Int] = [:]
    fileprivate var bodies: [String: (view: any View, body: any View)] = [:]
    fileprivate var properties: [String: Any] = [:]
    private var observed: [String: AnyHashable] = [:]
    private var disappears: [String: () -> Void] = [:]
    private var appeared: Set<String> = []

    fileprivate func finish(with pass: Pass) {
        outputs = pass.outputs
        // What a view that is gone has kept is released.
        bodies = bodies.filter { pass.places.contains($0.key) }
        properties = properties.filter { entry in pass.propertyPlaces.contains(entry.key) }
        let gone = disappears.filter { pass.disappears[$0.key] == nil }
        disappears = pass.disappears
        let new = pass.appears.filter { !appeared.contains($0.path) }
        appeared = Set(pass.appears.map(\.path))
        let changes = pass.changes.filter { change in observed[change.path].map { $0 != change.value } ?? false }
        observed = Dictionary(pass.changes.map { ($0.path, $0.value) }, uniquingKeysWith: { $1 })
        for action in gone.values { action() }
        for action in new { action.action() }
        for change in changes { change.action() }
    }
}

/// One walk through the views.
@MainActor struct Pass {
    var environment: EnvironmentValues
    let state: HostState
    var isEvaluating: Bool
    private(set) var outputs: [HostState.Output] = []
    fileprivate var places: Set<String> = []
    fileprivate var propertyPlaces: Set<String> = []
    fileprivate var appears: [(path: String, action: () -> Void)] = []
    fileprivate var disappears: [String: () -> Void] = [:]
    fileprivate var changes: [(path: String, value: AnyHashable, action: () -> Void)] = []
    private var path = ""
    private var accessibility = Accessibility()
    private var appearActions: [(path: String, action: () -> Void)] = []
    private var disappearActions: [(path: String, action: () -> Void)] = []

    init(environment: EnvironmentValues, state: HostState, isEvaluating: Bool) {
        (self.environment, self.state, self.isEvaluating) = (environment, state, isEvaluating)
    }

    mutating func show(_ view: any View, _ name: String) {
        let old = (path, isEvaluating)
        path += "/" + name
        if let primitive = view as? any Primitive {
            primitive.resolve(&self)
        } else {
            evaluate(view)
        }
        (path, isEvaluating) = old
    }

    private mutating func evaluate(_ view: any View) {
        let type = "\(Swift.type(of: view))"
        path += "<\(type)>"
        places.insert(path)
        let known = state.bodies[path]
        let isDirty = state.dirty.remove(path) != nil
        let view = isEvaluating || known == nil ? view : known?.view ?? view
        for (index, child) in Mirror(reflecting: view).children.enumerated() where child.value is any DynamicProperty {
            propertyPlaces.insert("\(path).\(index)")
        }
        if isEvaluating || isDirty || known == nil {
            isEvaluating = true
            for (index, child) in Mirror(reflecting: view).children.enumerated() {
                guard let property = child.value as? any DynamicProperty else { continue }
                let place = "\(path).\(index)"
                property.connect(&state.properties[place], environment) { [weak state, path] in state?.dirty.insert(path) }
            }
            state.evaluations[String(type.prefix { $0 != "<" }), default: 0] += 1
            state.bodies[path] = (view, body(of: view))
        }
        show(state.bodies[path]?.body ?? view, "body")
    }

    private func body(of view: some View) -> any View { view.body }

    /// Adds a view that is shown. The modifiers around it apply to it.
    mutating func output(_ view: any View) {
        outputs.append(HostState.Output(path: path, view: view, accessibility: accessibility))
        for action in appearActions { appears.append((path + action.path, action.action)) }
        for action in disappearActions { disappears[path + action.path] = action.action }
    }

    /// Adds a view with views inside, to which only the modifiers within it apply.
    mutating func container(_ view: any View, _ content: (inout Pass) -> Void) {
        output(view)
        let old = (appearActions, disappearActions)
        (appearActions, disappearActions) = ([], [])
        content(&self)
        (appearActions, disappearActions) = old
    }

    mutating func apply(_ modifier: Modifier, _ content: (inout Pass) -> Void) {
        let old = (environment, accessibility, appearActions, disappearActions)
        switch modifier {
        case .none, .background: break
        case .onAppear(let action): appearActions.append((path, action))
        case .onDisappear(let action): disappearActions.append((path, action))
        case .onChange(let value, let action): changes.append((path, value, action))
        case .accessibility(let change): change(&accessibility)
        case .environment(let change): change(&environment)
        }
        content(&self)
        if case .background(let view) = modifier { show(view, "background") }
        (environment, accessibility, appearActions, disappearActions) = old
    }
}
