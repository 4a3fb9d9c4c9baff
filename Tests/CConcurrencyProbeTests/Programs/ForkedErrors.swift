import Foundation

// A program that forks while its threads make and drop errors. The child drops many of those that it got.

struct Problem: Error {
    let number: Int
}

func fail(_ number: Int) throws { throw Problem(number: number) }

func failure(_ number: Int) -> any Error {
    do {
        try fail(number)
        exit(1)
    } catch {
        return error
    }
}

typealias Fork = @convention(c) () -> pid_t

@main
struct ForkedErrors {
    static func main() async {
        let fork = unsafeBitCast(dlsym(nil, "fork")!, to: Fork.self)
        var kept = (0..<10_000).map { failure($0) }
        for thread in 0..<2 {
            Thread.detachNewThread { while true { _ = failure(thread) } }
        }
        var ended = 0
        for _ in 0..<100 {
            let child = fork()
            if child == 0 {
                // Only a child that hangs lives so long.
                alarm(20)
                kept.removeLast(2000)
                _exit(0)
            }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            guard status == 0 else { break }
            ended += 1
        }
        print("value \(ended)")
        exit(0)
    }
}
