import CCalotypeGTKStage
import CalotypeTesting
import ImageCore
import ImageTargetsGTK

/// Tests of changes of single images of a list, its selection, and custom cells. The images are named by letters.
@safe final class ItemsScenario: Scenario {
    private let provider = ScriptedProvider()
    private var names = Array("abcdef")
    private var list: GTKImageList?
    /// The position that a cell shows, by the address of its widget.
    private var positions: [UInt: Int] = [:]
    private var selections: [Set<Int>] = []
    private var cachePolicy: CachePolicy?

    var windowSize: (width: Int, height: Int) { (400, 500) }

    func start(in window: UnsafeMutableRawPointer) {
        let list = GTKImageList(
            loader: provider, cellSize: PixelSize(width: 96, height: 96), selectionMode: .multiple
        ) { [weak self] index in self?.request(index) }
        self.list = list
        unsafe list.makeCell = { view in
            // Cells may be released before the list.
            unsafe clt_stage_row(view.widget)
        }
        unsafe list.updateCell = { [weak self] widget, position in
            guard let self else { return }
            self.positions[UInt(bitPattern: widget)] = position
            unsafe clt_stage_set_text(widget, String(self.names[position]))
        }
        list.onSelectionChange = { [weak self] in self?.selections.append($0) }
        unsafe clt_stage_set_child(window, list.widget)
        list.count = names.count
        Task {
            do {
                try await unsafe check(list, window)
            } catch {
                printLine("FAILED \(error)")
            }
            clt_stage_quit()
        }
    }

    private func request(_ index: Int) -> ImageRequest {
        ImageRequest(.bytes(Data(), id: String(names[index])), options: OptionLayer { $0.cachePolicy = cachePolicy })
    }

    private func check(_ list: GTKImageList, _ window: UnsafeMutableRawPointer) async throws {
        func isShown(_ text: String) -> Bool {
            let cells = unsafe list.visibleCells(in: window)
            return String(names) == text && cells.count == names.count && shownText(cells) == text
        }
        try await expect("shows all images in custom cells") { isShown("abcdef") && loads == "abcdef" }

        names.insert("x", at: 2)
        list.insert(at: 2)
        try await expect("inserts an image and loads only it") { isShown("abxcdef") && loads == "abcdefx" }
        expect(provider.loads.count == 7, "other cells keep their loads")

        names.removeFirst(2)
        list.remove(2, at: 0)
        try await expect("removes images and cancels their loads") { isShown("xcdef") && loads == "cdefx" }

        list.selection = [1, 3]
        expect(selections == [[1, 3]] && list.selected == 1, "selects several images and reports them")
        names.insert("y", at: 0)
        list.insert(at: 0)
        expect(list.selection == [2, 4], "the selection follows its images")

        names.insert(names.remove(at: 4), at: 1)
        list.remove(at: 4)
        list.insert(at: 1)
        try await expect("removes one image and inserts it elsewhere") { isShown("yexcdf") && loads == "cdefxy" }
        expect(list.selection == [3] && selections.last == [2], "the other image stays selected")

        let count = provider.loads.count
        list.reload(3)
        try await expect("reloads one image") { provider.loads.count == count + 1 && loads == "cdefxy" }
        expect(provider.loads.last.map { self.name(of: $0) } == "c", "reloads the image of the position")
        var isBlank: Bool? { unsafe list.visibleCells(in: window).first { $0.position == 3 }?.isBlank }
        provider.loads.last?.succeed(try TestImages.solid(red: 9))
        try await expect("shows the image of the position") { isBlank == false }
        cachePolicy = .reload
        list.reload(3)
        var wasBlank = false
        try await expect("fetches a shown image again") {
            wasBlank = wasBlank || isBlank == true
            return provider.loads.count == count + 2
        }
        expect(!wasBlank && isBlank == false, "keeps the image until it is fetched")

        list.selection = [1, 3]
        names.remove(at: 3)
        list.remove(at: 3)
        expect(list.selection == [1] && selections.last == [1], "reports that a selected image was removed")
        names.append("z")
        list.insert(at: 5)
        try await expect("appends an image") { isShown("yexdfz") }
        list.insert(at: 9)
        list.remove(at: 6)
        expect(list.count == 6, "ignores positions that do not exist")
    }

    /// The names of the running loads, sorted.
    private var loads: String { String(provider.running.map { name(of: $0) }.joined().sorted()) }

    private func name(of load: ScriptedLoad) -> String {
        if case .bytes(_, let id) = load.request.source { id } else { "" }
    }

    /// The texts of the cells on screen, ordered by their positions on screen.
    private func shownText(_ cells: [GTKImageList.VisibleCell]) -> String {
        cells.sorted { ($0.bounds.y, $0.bounds.x) < ($1.bounds.y, $1.bounds.x) }.map { String(names[$0.position]) }.joined()
    }
}
