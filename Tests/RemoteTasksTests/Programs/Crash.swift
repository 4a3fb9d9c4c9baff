// A task named `crasher` that crashes as the first argument says, in a function called by an asynchronous one, beside 20 tasks that wait. The
// second argument says where: in the task itself, or in an actor, a group or an `async let` of it.
import Glibc

nonisolated(unsafe) var lost: [UnsafeContinuation<Void, Never>] = []
@MainActor func park() async { await withUnsafeContinuation { lost.append($0) } }

nonisolated(unsafe) var none: Int?
nonisolated(unsafe) var numbers = [1, 2, 3]
nonisolated(unsafe) var zero = 0
struct Refusal: Error {}
final class Shared: @unchecked Sendable { var value = 0 }

@inline(never) func refuse() throws { throw Refusal() }
// swift-format-ignore
@inline(never) func insist() { try! refuse() }
@inline(never) func deeper(_ n: Int) -> Int { n == -1 ? 0 : deeper(n + 1) + n &* n }

@inline(never) func crash(_ how: String) -> Int {
    switch how {
    case "fatal-error": fatalError("as planned")
    case "nil": return none!
    case "index": return numbers[numbers.count + zero]
    case "overflow": return Int.max - zero + numbers[0]
    case "division": return 1 / zero
    case "precondition": preconditionFailure("as planned")
    case "try": insist()
    case "abort": abort()
    case "null": return UnsafePointer<Int>(bitPattern: 8 + zero)!.pointee
    case "stack": return deeper(numbers[0])
    case "c": qsort(&numbers, numbers.count, 8) { _, _ in Int32(1 / zero) }
    default: break
    }
    return 0
}

@inline(never) func leaf(_ how: String) async -> Int {
    await Task.yield()
    let result = crash(how)
    await Task.yield()
    return result
}
@inline(never) func branch(_ how: String) async -> Int { await leaf(how) + 1 }

actor Teller {
    var paid = 0
    @inline(never) func pay(_ how: String) async -> Int {
        paid += 1
        return await branch(how) + paid
    }
}
/// The parents run on main, and a child waits for its turn there, so that the parent is suspended when the child crashes.
@MainActor func isParked(_ count: Int) -> Bool { lost.count >= count }
@MainActor @inline(never) func groupCrashes(_ how: String) async -> Int {
    await withTaskGroup(of: Int.self) { group in
        group.addTask(name: "sibling") {
            await park()
            return 0
        }
        group.addTask(name: "child") {
            while await !isParked(21) {}
            return await branch(how)
        }
        var sum = 0
        for await n in group { sum += n }
        return sum
    }
}
@inline(never) func branchAfterParent(_ how: String) async -> Int {
    while await !isParked(20) {}
    return await branch(how)
}
@MainActor @inline(never) func childCrashes(_ how: String) async -> Int {
    async let n = branchAfterParent(how)
    return await n
}

@main struct Crash {
    @MainActor static func main() async {
        for i in 0..<20 { Task(name: "parked-\(i)") { await park() } }
        while lost.count < 20 { await Task.yield() }
        let (how, place) = (CommandLine.arguments[1], CommandLine.arguments[2])
        let crasher = Task.detached(name: "crasher") {
            switch place {
            case "actor": await Teller().pay(how)
            case "group": await groupCrashes(how)
            case "async-let": await childCrashes(how)
            default: await branch(how)
            }
        }
        print(await crasher.value)
    }
}
