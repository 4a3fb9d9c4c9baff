import TaskEvents
import TraceStore

extension OutsideView {
    /// The tasks of a snapshot by their numbers in the process's trace, and its threads. `began` is the time of the trace at which the
    /// snapshot began.
    package init(of snapshot: Snapshot, _ symbols: SnapshotSymbols, began: UInt64) {
        var tasks: [TaskID: Sight] = [:]
        for task in snapshot.tasks where task.state == .suspended {
            tasks[TaskID(rawValue: task.tracedNumber)] = Sight(calls: symbols.calls(at: task.frames).filter { !$0.isMachinery })
        }
        var holders: [TaskID: String] = [:]
        for task in snapshot.tasks where snapshot.holders[task.address] != nil {
            guard let wait = SnapshotWait(of: task, in: snapshot, symbols), let holder = wait.holder else { continue }
            let descriptor = wait.descriptor.map { ", which waits \($0.words)" } ?? ""
            holders[TaskID(rawValue: task.tracedNumber)] = holder.words + descriptor
        }
        var threads: [UInt64: Sight] = [:]
        for thread in snapshot.threads {
            let calls = symbols.calls(at: thread.code).filter { !$0.isMachinery }
            // The C library's own spelling of its calls: `__read`.
            let call = symbols.blockingCall(of: thread).map { String($0.function.drop { $0 == "_" }) }
            threads[UInt64(thread.id)] = Sight(blockingCall: call, isComputing: thread.state == "R", calls: calls)
        }
        // The kernel gives a process and its first thread one number.
        self.init(began: began, tasks: tasks, threads: threads, mainThread: UInt64(snapshot.pid), holders: holders)
    }
}
