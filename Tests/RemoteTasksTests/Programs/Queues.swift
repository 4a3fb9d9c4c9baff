// Threads that wait for Dispatch queues: in circles of two and three queues, on main, and behind blocks that go on. `ready` follows once all
// are about to wait.
import Dispatch
import Glibc

let entered = DispatchSemaphore(value: 0)
let open = DispatchSemaphore(value: 0)
func queue(_ label: String, target: DispatchQueue? = nil) -> DispatchQueue { DispatchQueue(label: label, target: target) }

/// Gives each queue a block that waits for the next queue, once all of them run.
func circle(_ queues: [DispatchQueue], _ waits: [@Sendable (DispatchQueue) -> Int]) {
    let started = DispatchGroup()
    for _ in queues { started.enter() }
    for (index, queue) in queues.enumerated() {
        queue.async {
            started.leave()
            started.wait()
            entered.signal()
            print(waits[index](queues[(index + 1) % queues.count]))
        }
    }
}

@inline(never) func one(_ next: DispatchQueue) -> Int { next.sync { 1 } }  // one
@inline(never) func two(_ next: DispatchQueue) -> Int { next.sync { 2 } }  // two
@inline(never) func three(_ next: DispatchQueue) -> Int {
    next.sync(execute: DispatchWorkItem {})  // three
    return 3
}
@inline(never) func four(_ next: DispatchQueue) -> Int { next.sync { 4 } }  // four
@inline(never) func five(_ next: DispatchQueue) -> Int { next.sync { 5 } }  // five
@inline(never) func onMain() -> Int { DispatchQueue.main.sync { 6 } }  // onMain
@inline(never) func fromMain(_ next: DispatchQueue) -> Int { next.sync { 7 } }  // fromMain
@inline(never) func healthy(_ next: DispatchQueue) -> Int { next.sync { 8 } }  // healthy
@inline(never) func holds() -> Int { Int(sleep(3600)) }  // holds

@main struct Queues {
    static func main() {
        // A snapshot is one of a program with tasks.
        Task {}
        circle([queue("first"), queue("second")], [one, two])
        // The block of the fifth queue waits for a queue that shares the target of the first.
        let bottom = queue("bottom")
        let sibling = queue("sibling", target: bottom)
        circle([queue("over", target: bottom), queue("fourth"), queue("fifth")], [four, { five($0) }, { _ in three(sibling) }])
        let held = queue("held")
        held.async {
            entered.signal()
            print(holds())
        }
        queue("waiter").async {
            open.wait()
            entered.signal()
            print(healthy(held))
        }
        let worker = queue("worker")
        worker.async {
            entered.signal()
            open.wait()
            entered.signal()
            print(onMain())
        }
        for _ in 0..<7 { entered.wait() }
        open.signal()
        open.signal()
        for _ in 0..<2 { entered.wait() }
        print("ready")
        fflush(stdout)
        print(fromMain(worker))
    }
}
