// Apps and lists.

@MainActor open class UIApplication {
    public nonisolated static let didEnterBackgroundNotification = Notification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    public nonisolated static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification")
    public nonisolated static let didReceiveMemoryWarningNotification = Notification.Name(
        "UIApplicationDidReceiveMemoryWarningNotification")
}

@MainActor public protocol UICollectionViewDataSourcePrefetching: NSObjectProtocol {
    func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
    func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

@MainActor public protocol UITableViewDataSourcePrefetching: NSObjectProtocol {
    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
    func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

@MainActor public protocol UICollectionViewDataSource: NSObjectProtocol {
    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell
}

open class UICollectionView: UIView {
    /// Makes a cell: Swift without Objective-C has no way to make one from the registered class. Tests set it.
    public var makeCell: (() -> UICollectionViewCell)?
    private var reusable: [UICollectionViewCell] = []
    /// The cells on screen, for tests.
    public private(set) var visible: [IndexPath: UICollectionViewCell] = [:]
    open weak var dataSource: (any UICollectionViewDataSource)?
    open func register(_ type: AnyClass?, forCellWithReuseIdentifier identifier: String) {}
    open func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath) -> UICollectionViewCell {
        guard let cell = reusable.popLast() else { return makeCell!() }
        cell.prepareForReuse()
        return cell
    }
    /// Shows the items of these positions, and takes the others off the screen.
    public func scroll(to items: [IndexPath]) {
        for (place, cell) in visible where !items.contains(place) {
            cell.removeFromSuperview()
            reusable.append(cell)
            visible[place] = nil
        }
        for place in items where visible[place] == nil {
            guard let cell = dataSource?.collectionView(self, cellForItemAt: place) else { continue }
            addSubview(cell)
            visible[place] = cell
        }
        layoutIfNeeded()
    }
    open weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
}

open class UITableView: UIView {
    open weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?
}

open class UICollectionViewCell: UIView {
    public let contentView = UIView()
    public override init(frame: CGRect) {
        super.init(frame: frame)
        contentView.frame = bounds
        contentView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        addSubview(contentView)
    }
    open func prepareForReuse() {}
}

extension IndexPath {
    public var item: Int { self[1] }
    public var row: Int { self[1] }
}
