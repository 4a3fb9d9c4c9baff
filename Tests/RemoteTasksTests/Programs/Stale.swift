// A task blocks its thread. Other threads have its address in a part of their stacks that returned calls have left.
import Dispatch
import Glibc

let ready = DispatchSemaphore(value: 0)
let never = DispatchSemaphore(value: 0)

/// Fills several frames of the stack with a word.
@inline(never) func fill(with word: UInt, depth: Int) -> UInt {
    withUnsafeTemporaryAllocation(of: UInt.self, capacity: 100) { words in
        words.initialize(repeating: word)
        return depth == 0 ? words[Int(getpid()) % 100] : fill(with: word, depth: depth - 1) &+ words[Int(getpid()) % 100]
    }
}

@inline(never) func blocks() {
    withUnsafeCurrentTask { task in
        let word = unsafeBitCast(task!, to: UInt.self)
        for _ in 0..<4 {
            var thread = pthread_t()
            let argument = UnsafeMutableRawPointer(bitPattern: word)
            pthread_create(
                &thread, nil,
                { argument in
                    _ = fill(with: UInt(bitPattern: argument), depth: 10)
                    ready.signal()
                    sleep(3600)
                    return nil
                }, argument)
        }
    }
    for _ in 0..<4 { ready.wait() }
    print("ready")
    fflush(stdout)
    never.wait()  // the task's own wait
}

@main struct Stale {
    static func main() async {
        await Task { blocks() }.value
    }
}
