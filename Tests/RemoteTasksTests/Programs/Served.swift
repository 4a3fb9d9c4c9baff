// A program of its own part and of a library's part. In both a task waits for a continuation, and a thread for bytes.
import Dispatch
import Glibc

nonisolated(unsafe) var kept: [CheckedContinuation<Void, Never>] = []
let entered = DispatchSemaphore(value: 0)

#sourceLocation(file:"/build/.build/checkouts/library/Sources/Library/Loop.swift",line:1)
@inline(never) func readsBytesOfLibrary() {
    var ends: [Int32] = [0, 0]
    var byte: UInt8 = 0
    guard pipe(&ends) == 0 else { return }
    entered.signal()
    print(read(ends[0], &byte, 1))
}
@inline(never) func waitsInLibrary() async {
    await withCheckedContinuation { kept.append($0) }
    print("library")
}
func serves(_ handler: @escaping @Sendable () async -> Void) {
    Task.immediate { await handler() }
}
#sourceLocation()

@inline(never) func handles() async {
    await withCheckedContinuation { kept.append($0) }
    print("handler")
}

@inline(never) func readsBytes() {
    var ends: [Int32] = [0, 0]
    var byte: UInt8 = 0
    guard pipe(&ends) == 0 else { return }
    entered.signal()
    print(read(ends[0], &byte, 1))
}
@inline(never) func waits() async {
    await withCheckedContinuation { kept.append($0) }
    print("program")
}

@main struct Served {
    static func main() async {
        // Each runs here until it waits.
        Task.immediate { await waitsInLibrary() }
        Task.immediate { await waits() }
        serves { await handles() }
        DispatchQueue(label: "library").async { readsBytesOfLibrary() }
        DispatchQueue(label: "program").async { readsBytes() }
        await Task.detached { block(on: entered) }.value
        print("ready")
        fflush(stdout)
        try? await Task.sleep(nanoseconds: 3_600_000_000_000)
    }

    static func block(on gate: DispatchSemaphore) {
        gate.wait()
        gate.wait()
    }
}
