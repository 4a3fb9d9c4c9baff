import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// What keys and mouse do on the Faults screen, and the walk along an error's path, which goes on from any screen.
extension Model {
    private var faultsHeight: Int { FaultsScreen.areas(areas.body).frame.list.rows }

    mutating func moveInFaults(_ movement: Movement) {
        let start = faults.selection.flatMap(faults.list.row) ?? (movement == .down ? -1 : 0)
        guard faults.list.count > 0, let row = movement.row(from: start, count: faults.list.count, page: faultsHeight) else { return }
        select(faultAt: row)
    }

    mutating func openInFaults() {
        guard let task = faults.step.flatMap({ faults.path?.steps[$0].task }) ?? faults.origin else { return }
        follow(task)
        open(task)
    }

    /// On the way to the screen: the error that passed the selected task, if one did.
    mutating func showSelectedFault() {
        guard faults.step.flatMap({ faults.path?.steps[$0].task }) != selection, selection != faults.selection else { return }
        faults.list.bringUpToDate(store)
        takeUpSelection()
    }

    mutating func leaveFaults() {
        if faults.step != nil {
            faults.step = nil
        } else {
            faults.selection = nil
            faults.window.setTop(0, count: faults.list.count, height: faultsHeight)
        }
    }

    mutating func scrollFaults(by rows: Int) {
        faults.window.setTop(faults.window.top + rows, count: faults.list.count, height: faultsHeight)
    }

    mutating func clickFaults(_ point: Point) {
        let (frame, pathAreas) = FaultsScreen.areas(areas.body)
        if frame.list.contains(point) {
            let row = faults.window.top + point.row - frame.list.top
            guard row < faults.list.count else { return }
            if faults.list[row] == faults.selection { openInFaults() }
            select(faultAt: row)
        } else if pathAreas.steps.contains(point), let path = faults.path {
            let step = faults.stepWindow.top + (point.row - pathAreas.steps.top) / pathAreas.stepHeight
            guard step < path.steps.count else { return }
            if step == faults.step { openInFaults() }
            go(toStep: step)
        }
    }

    mutating func perform(_ command: FaultsCommand) {
        takeUpFault()
        guard let path = faults.path else { return }
        let next: Int
        switch command {
        case .nextStep: next = faults.step.map { $0 + 1 } ?? 0
        case .previousStep: next = faults.step.map { $0 - 1 } ?? 0
        }
        guard path.steps.indices.contains(next) else { return }
        go(toStep: next)
    }

    /// Away from the Faults screen, the walk begins at the selected task if an error passed there.
    private mutating func takeUpFault() {
        if screen == .faults, faults.path != nil { return }
        faults.list.bringUpToDate(store)
        let isOnPath = faults.step.map { faults.path?.steps[$0].task == selection } ?? false
        if !isOnPath { takeUpSelection() }
        faults.findPath(store, at: 0)
        if faults.selection == nil { faults.selection = faults.origin }
    }

    private mutating func takeUpSelection() {
        let analysis = FaultAnalysis(store)
        guard let selection, let origin = analysis.origin(of: selection), store.task(origin)?.state == .faulted else { return }
        faults.selection = origin
        faults.step = nil
        faults.findPath(store, at: 0)
        faults.step = selection == origin ? nil : faults.path?.steps.firstIndex { $0.task == selection }
        if let row = faults.list.row(of: origin) { faults.window.show(row, count: faults.list.count, height: faultsHeight) }
        if let step = faults.step { showStep(step) }
    }

    private mutating func select(faultAt row: Int) {
        let origin = faults.list[row]
        if origin != faults.selection {
            faults.step = nil
            faults.stepWindow = ListWindow()
        }
        faults.selection = origin
        faults.window.show(row, count: faults.list.count, height: faultsHeight)
        follow(origin)
    }

    private mutating func go(toStep step: Int) {
        guard let path = faults.path else { return }
        faults.selection = path.origin
        faults.step = step
        showStep(step)
        follow(path.steps[step].task)
    }

    private mutating func showStep(_ step: Int) {
        let shown = FaultsScreen.areas(areas.body).path.stepsShown
        faults.stepWindow.show(step, count: faults.path?.steps.count ?? 0, height: shown)
    }
}
