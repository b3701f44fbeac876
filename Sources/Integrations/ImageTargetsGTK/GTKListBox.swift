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
                    unsafe GTKListBox.run(context) { list in
                        let cell = list.addCell()
                        unsafe widget?.pointee = cell.widget
                        return unsafe Unmanaged.passUnretained(cell).toOpaque()
                    }
                },
                bind: { context, cell, position in
                    unsafe GTKListBox.run(context, cell) { $0.bind($1, Int(position)) }
                },
                move: { context, cell, position in
                    unsafe GTKListBox.run(context, cell) { $0.move($1, Int(position)) }
                },
                unbind: { context, cell in unsafe GTKListBox.run(context, cell) { $0.unbind($1) } },
                drop_cell: { context, cell in unsafe GTKListBox.run(context, cell) { $0.drop($1) } },
                activate: { context, position in
                    unsafe GTKListBox.run(context) { list in
                        list.onActivate?(Int(position))
                        return nil
                    }
                },
                selection_changed: { context in
                    unsafe GTKListBox.run(context) { list in
                        list.reportSelection()
                        return nil
                    }
                },
                set_on_screen: { context, cell, isOnScreen in
                    unsafe GTKListBox.run(context, cell) { $0.setOnScreen($1, isOnScreen) }
                },
                update_cells: { context in
                    var isUnfinished = false
                    unsafe GTKListBox.run(context) { list in
                        isUnfinished = list.updateCells()
                        return nil
                    }
                    return isUnfinished
                },
                scaled: { context in
                    unsafe GTKListBox.run(context) { list in
                        list.renewRequests()
                        return nil
                    }
                })
        }

        /// Runs a callback on the main actor, since GTK calls on the main thread only. Pointers are not `Sendable`, so that their
        /// addresses are passed as integers.
        @discardableResult
        private nonisolated static func run(
            _ context: UnsafeMutableRawPointer?, _ body: @MainActor (GTKImageList) -> UnsafeMutableRawPointer?
        ) -> UnsafeMutableRawPointer? {
            let address = UInt(bitPattern: context)
            let result = MainActor.assumeIsolated {
                guard let context = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return UInt(0) }
                guard let list = unsafe Unmanaged<GTKListBox>.fromOpaque(context).takeUnretainedValue().list else { return 0 }
                return unsafe UInt(bitPattern: body(list))
            }
            return unsafe UnsafeMutableRawPointer(bitPattern: result)
        }

        private nonisolated static func run(
            _ context: UnsafeMutableRawPointer?, _ cell: UnsafeMutableRawPointer?,
            _ body: @MainActor (GTKImageList, GTKListCell) -> Void
        ) {
            let address = UInt(bitPattern: cell)
            unsafe run(context) { list in
                guard let cell = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return nil }
                unsafe body(list, Unmanaged<GTKListCell>.fromOpaque(cell).takeUnretainedValue())
                return nil
            }
        }
    }
#endif
