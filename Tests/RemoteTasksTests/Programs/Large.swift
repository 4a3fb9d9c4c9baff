// Tasks beside large blocks of memory. Some blocks are full of words that look like the beginnings of objects.
import Dispatch
import Glibc

func nap() async { try? await Task.sleep(nanoseconds: 3_600_000_000_000) }

/// 256 KiB.
typealias Large = InlineArray<32768, Int>

@inline(never) func sum(_ large: Large, _ n: Int) -> Int { large[0] + n }
@inline(never) func leaf(_ n: Int) async -> Int {
    await nap()
    return n
}
/// The function's frame gets a block of its own in the task's memory, and its child is in the frame.
@inline(never) func heavy() async -> Int {
    let large = Large(repeating: 1)
    async let child = leaf(1)
    return sum(large, await child)
}

actor Holder {
    var large = Large(repeating: 1)
    func touch() { large[0] += 1 }
}

@main struct Program {
    static func main() async {
        let holder = Holder()
        await holder.touch()
        Task(name: "heavy") { print(await heavy()) }
        for i in 0..<8 { Task(name: "light-\(i)") { await nap() } }

        // The first two words of an object are its class and the count of its references.
        let words = unsafeBitCast(holder, to: UnsafePointer<UInt64>.self)
        let blocks = (0..<4).map { _ in UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 1 << 17) }
        for block in blocks {
            // The first page of a block is read.
            for i in block.indices { block[i] = i < 512 ? 1 : words[i % 2] }
        }
        // Pairs of an address and a negative number, in blocks that are read whole.
        let pairs = (0..<64).map { _ in UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 1 << 13) }
        for (number, pair) in pairs.enumerated() {
            let start = UInt64(UInt(bitPattern: pair.baseAddress))
            for i in stride(from: 0, to: pair.count, by: 2) { (pair[i], pair[i + 1]) = (start + UInt64(i * 8 + number), .max) }
        }
        try? await Task.sleep(nanoseconds: 300_000_000)
        print("ready")
        fflush(stdout)
        await nap()
        print(blocks.count, pairs.count, holder)
    }
}
