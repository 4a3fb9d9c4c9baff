// Tasks with frames of several sizes. Prints by how many bytes the allocated memory grew while each set of tasks was made:
// `memory NAME BYTES`.
import Dispatch
import Foundation
import Glibc

func nap() async { try? await Task.sleep(nanoseconds: 3_600_000_000_000) }
nonisolated(unsafe) var lost: [UnsafeContinuation<Void, Never>] = []
let lock = DispatchQueue(label: "lost")
func neverResumed() async { await withUnsafeContinuation { continuation in lock.sync { lost.append(continuation) } } }

struct Eight<Element> {
    var values: (Element, Element, Element, Element, Element, Element, Element, Element)
    init(_ value: Element) { values = (value, value, value, value, value, value, value, value) }
}
typealias Medium = Eight<Eight<Int>>
typealias Large = Eight<Eight<Medium>>

@inline(never) func sum(_ medium: Medium) -> Int { medium.values.3.values.4 }
@inline(never) func sum(_ large: Large) -> Int { large.values.0.values.1.values.2.values.3 }
@inline(never) func medium() async -> Int {
    let medium = Medium(Eight(1))
    await neverResumed()
    return sum(medium)
}
@inline(never) func large() async -> Int {
    let large = Large(Eight(Medium(Eight(1))))
    await neverResumed()
    return sum(large)
}
@inline(never) func deep(_ n: Int) async -> Int {
    if n == 0 { return await medium() }
    return await deep(n - 1) + n
}
@inline(never) func children() async -> Int {
    async let one = medium()
    async let two = large()
    return await one + two
}

typealias Describing = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32

/// The number of allocated bytes, as the C library counts them.
func allocated() -> Int {
    var text: UnsafeMutablePointer<CChar>?
    var size = 0
    guard let file = open_memstream(&text, &size), let function = dlsym(nil, "malloc_info") else { return 0 }
    _ = unsafeBitCast(function, to: Describing.self)(0, file)
    fclose(file)
    defer { free(text) }
    let lines = String(cString: text!).split(separator: "\n")
    // The last line of a kind is the sum of all arenas.
    func sum(_ beginning: String) -> Int {
        guard let line = lines.last(where: { $0.hasPrefix(beginning) }), let start = line.range(of: "size=\"") else { return 0 }
        return Int(line[start.upperBound...].prefix { $0 != "\"" }) ?? 0
    }
    return sum("<system type=\"current\"") + sum("<total type=\"mmap\"") - sum("<total type=\"fast\"") - sum("<total type=\"rest\"")
}

@main struct Program {
    static let count = 500

    /// Makes tasks, each of which waits for a number of continuations.
    static func make(_ name: String, waits: Int = 1, _ body: @escaping @Sendable () async -> Void) async {
        let expected = lock.sync { lost.count } + count * waits
        let before = allocated()
        for _ in 0..<count { Task(name: name, operation: body) }
        while lock.sync(execute: { lost.count }) < expected { await Task.yield() }
        print("memory \(name) \(allocated() - before)")
    }

    @MainActor static func main() async {
        lost.reserveCapacity(10_000)
        await make("small") { await neverResumed() }
        await make("medium") { print(await medium()) }
        await make("large") { print(await large()) }
        await make("deep") { print(await deep(20)) }
        await make("children", waits: 2) { print(await children()) }
        print("ready")
        fflush(stdout)
        await nap()
    }
}
