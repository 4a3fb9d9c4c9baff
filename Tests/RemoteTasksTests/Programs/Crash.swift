// A task named `crasher` that crashes as the argument says, in a function called by an asynchronous one, beside 20 tasks that wait.
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

@main struct Crash {
    @MainActor static func main() async {
        for i in 0..<20 { Task(name: "parked-\(i)") { await park() } }
        while lost.count < 20 { await Task.yield() }
        let how = CommandLine.arguments[1]
        print(await Task.detached(name: "crasher") { await branch(how) }.value)
    }
}
