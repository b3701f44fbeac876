#if GTK
    import ImageTargetsGTK
    import Testing

    /// What is to be done next for a cell of a list, without a window.
    @Suite struct ListCells {
        private typealias Step = ListCellState.Step

        /// Does what is due until nothing is, as a list with time enough does; returns the steps.
        private func settle(_ cell: inout ListCellState) -> [Step] {
            var steps: [Step] = []
            while let step = cell.step, steps.count < 10 {
                steps.append(step)
                switch step {
                case .show: cell.didShow()
                case .load:
                    cell.didTell(true)
                    cell.didLoad()
                case .leave where cell.position != nil && cell.content != .stale: cell.didTell(false)
                case .leave, .clear: cell.didClear()
                case .prepare:
                    cell.didTell(false)
                    cell.didShow()
                    cell.didLoad()
                }
            }
            return steps
        }

        private func cell(_ change: (inout ListCellState) -> Void = { _ in }) -> ListCellState {
            var cell = ListCellState()
            change(&cell)
            return cell
        }

        @Test func aCellThatAppearsShowsSomethingFirstAndLoadsThen() {
            var cell = cell {
                $0.bind(7)
                $0.setOnScreen(true)
            }
            #expect(settle(&cell) == [.show, .load])
            #expect(cell.content == .complete && cell.isVisible)
        }

        @Test func aCellNearTheScreenIsPreparedAndNotTakenForVisible() {
            var cell = cell { $0.bind(7) }
            #expect(settle(&cell) == [.prepare] && !cell.isVisible)
            cell.isLoading = true
            cell.setOnScreen(true)
            #expect(settle(&cell) == [.load] && cell.isVisible)
            cell.setOnScreen(false)
            #expect(settle(&cell) == [.leave] && !cell.isVisible)
            #expect(cell.content == .complete)
        }

        @Test func aCellWithItsPictureComesAndGoesForNothing() {
            var cell = cell {
                $0.bind(7)
                $0.setOnScreen(true)
            }
            _ = settle(&cell)
            for isOnScreen in [false, true] {
                cell.setOnScreen(isOnScreen)
                #expect(cell.step == nil)
            }
        }

        @Test(arguments: [true, false]) func anUnboundCellLetsGoOfWhatItHasAndOnlyThen(isLoading: Bool) {
            #expect(cell().step == nil)
            var used = cell { $0.bind(7) }
            used.unbind()
            #expect(used.step == nil)
            used.bind(7)
            used.setOnScreen(true)
            _ = settle(&used)
            used.isLoading = isLoading
            used.unbind()
            #expect(!used.isOnScreen && settle(&used) == [isLoading ? .leave : .clear])
            #expect(used.content == .nothing)
        }

        @Test(arguments: [true, false]) func aCellThatIsBoundAnewBeforeItLetGoNeverCountsAsShown(isLoading: Bool) {
            var used = cell {
                $0.bind(7)
                $0.setOnScreen(true)
            }
            _ = settle(&used)
            used.isLoading = isLoading
            used.unbind()
            used.bind(300)
            // Off screen, the old position's load goes before anything is prepared; on screen, the new request replaces it.
            #expect(used.step == (isLoading ? .leave : .prepare))
            used.setOnScreen(true)
            #expect(settle(&used) == [.show, .load])
        }

        @Test func anotherScaleAsksAgain() {
            var used = cell {
                $0.bind(7)
                $0.setOnScreen(true)
            }
            _ = settle(&used)
            used.makeStale()
            #expect(settle(&used) == [.show, .load])
        }
    }
#endif
