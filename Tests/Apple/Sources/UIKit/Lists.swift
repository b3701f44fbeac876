// What the examples for the guides use besides.

open class UICollectionViewCell: UIView {
    public let contentView = UIView()
    open func prepareForReuse() {}
}

public struct UITraitCollection: Sendable {
    public let displayScale: CGFloat = 2
}

extension UIView {
    public var traitCollection: UITraitCollection { UITraitCollection() }
    public var bounds: CGRect { CGRect() }
    public var frame: CGRect {
        get { CGRect() }
        set {}
    }
    public var isAccessibilityElement: Bool {
        get { false }
        set {}
    }
    public var superview: UIView? { nil }
    public func addSubview(_ view: UIView) {}
}

extension IndexPath {
    public var item: Int { self[1] }
}
