// Named tasks that wait for ever. Each begins its wait on main: while the main task runs, the others wait. The program ends beside them,
// because a runtime with another kind of record of names cannot end them.
import Foundation

@MainActor var lost: [CheckedContinuation<Void, Never>] = []
@MainActor func waitForEver() async { await withCheckedContinuation { lost.append($0) } }

@main struct Named {
    @MainActor static func main() async {
        Task(name: "waiter") { await waitForEver() }
        Task(name: "owner") {
            await withTaskGroup(of: Void.self) { group in
                for i in 0..<2 { group.addTask(name: "member-\(i)") { await waitForEver() } }
                for await _ in group {}
            }
        }
        while lost.count < 3 { await Task.yield() }
        exit(0)
    }
}
