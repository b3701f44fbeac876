#if GTK
    internal import CCalotypeGTK

    /// What GTK's callbacks are given: it outlives the list as long as GTK keeps the widget.
    @MainActor final class ListBox {
        weak var list: GTKImageList?

        /// The callbacks of a list, all called on the main thread. Cells are kept by the list and passed unretained.
        @unsafe static func callbacks(_ box: ListBox) -> calotype_gtk_list_callbacks {
            unsafe calotype_gtk_list_callbacks(
                context: Unmanaged.passRetained(box).toOpaque(),
                make_cell: { context, widget in
                    unsafe ListBox.run(context) { list in
                        let cell = list.makeCell()
                        unsafe widget?.pointee = cell.widget
                        return unsafe Unmanaged.passUnretained(cell).toOpaque()
                    }
                },
                bind: { context, cell, position in
                    unsafe ListBox.run(context, cell) { $0.bind($1, Int(position)) }
                },
                unbind: { context, cell in unsafe ListBox.run(context, cell) { $0.unbind($1) } },
                drop_cell: { context, cell in unsafe ListBox.run(context, cell) { $0.drop($1) } },
                activate: { context, position in
                    unsafe ListBox.run(context) { list in
                        list.onActivate?(Int(position))
                        return nil
                    }
                },
                set_on_screen: { context, cell, isOnScreen in
                    unsafe ListBox.run(context, cell) { $0.set($1, onScreen: isOnScreen) }
                },
                work: { context in
                    var isUnfinished = false
                    unsafe ListBox.run(context) { list in
                        isUnfinished = list.work()
                        return nil
                    }
                    return isUnfinished
                },
                scaled: { context in
                    unsafe ListBox.run(context) { list in
                        list.scaled()
                        return nil
                    }
                })
        }

        /// GTK calls on the main thread only. Addresses cross as numbers, since pointers may not.
        @discardableResult
        private nonisolated static func run(
            _ context: UnsafeMutableRawPointer?, _ body: @MainActor (GTKImageList) -> UnsafeMutableRawPointer?
        ) -> UnsafeMutableRawPointer? {
            let address = UInt(bitPattern: context)
            let result = MainActor.assumeIsolated {
                guard let context = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return UInt(0) }
                guard let list = unsafe Unmanaged<ListBox>.fromOpaque(context).takeUnretainedValue().list else { return 0 }
                return unsafe UInt(bitPattern: body(list))
            }
            return unsafe UnsafeMutableRawPointer(bitPattern: result)
        }

        private nonisolated static func run(
            _ context: UnsafeMutableRawPointer?, _ cell: UnsafeMutableRawPointer?,
            _ body: @MainActor (GTKImageList, ListCell) -> Void
        ) {
            let address = UInt(bitPattern: cell)
            unsafe run(context) { list in
                guard let cell = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return nil }
                unsafe body(list, Unmanaged<ListCell>.fromOpaque(cell).takeUnretainedValue())
                return nil
            }
        }
    }
#endif
