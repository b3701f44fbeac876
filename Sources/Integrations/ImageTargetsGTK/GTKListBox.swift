#if GTK
    internal import CCalotypeGTK

    /// The context of GTK's callbacks. It refers weakly to the list, which detaches the callbacks before it releases the box.
    @MainActor final class GTKListBox {
        weak var list: GTKImageList?

        /// The callbacks of a list, which GTK makes on the main thread. The list retains the cells, which are passed unretained.
        @unsafe static func callbacks(_ box: GTKListBox) -> calotype_gtk_list_callbacks {
            unsafe calotype_gtk_list_callbacks(
                context: Unmanaged.passRetained(box).toOpaque(),
                make_cell: { context, widget in
                    let cell = unsafe GTKListBox.run(context) { list in
                        let cell = list.addCell()
                        unsafe widget?.pointee = cell.widget
                        return unsafe UInt(bitPattern: Unmanaged.passUnretained(cell).toOpaque())
                    }
                    return unsafe UnsafeMutableRawPointer(bitPattern: cell ?? 0)
                },
                bind: { context, cell, position in
                    unsafe GTKListBox.run(context, cell) { $0.bind($1, Int(position)) }
                },
                move: { context, cell, position in
                    unsafe GTKListBox.run(context, cell) { $0.move($1, Int(position)) }
                },
                unbind: { context, cell in unsafe GTKListBox.run(context, cell) { $0.unbind($1) } },
                drop_cell: { context, cell in unsafe GTKListBox.run(context, cell) { $0.drop($1) } },
                activate: { context, position in unsafe GTKListBox.run(context) { $0.onActivate?(Int(position)) } },
                selection_changed: { context in unsafe GTKListBox.run(context) { $0.reportSelection() } },
                set_on_screen: { context, cell, isOnScreen in
                    unsafe GTKListBox.run(context, cell) { $0.setOnScreen($1, isOnScreen) }
                },
                update_cells: { context in unsafe GTKListBox.run(context) { $0.updateCells() } ?? false },
                scaled: { context in unsafe GTKListBox.run(context) { $0.renewRequests() } })
        }

        /// Runs a callback on the main actor, since GTK calls on the main thread only. Pointers are not `Sendable`, so that their
        /// addresses are passed as integers.
        @discardableResult
        private nonisolated static func run<Result: Sendable>(
            _ context: UnsafeMutableRawPointer?, _ body: @MainActor (GTKImageList) -> Result
        ) -> Result? {
            let address = UInt(bitPattern: context)
            return MainActor.assumeIsolated {
                guard let context = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return nil }
                return unsafe Unmanaged<GTKListBox>.fromOpaque(context).takeUnretainedValue().list.map(body)
            }
        }

        private nonisolated static func run(
            _ context: UnsafeMutableRawPointer?, _ cell: UnsafeMutableRawPointer?,
            _ body: @MainActor (GTKImageList, GTKListCell) -> Void
        ) {
            let address = UInt(bitPattern: cell)
            unsafe run(context) { list in
                guard let cell = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return }
                unsafe body(list, Unmanaged<GTKListCell>.fromOpaque(cell).takeUnretainedValue())
            }
        }
    }
#endif
