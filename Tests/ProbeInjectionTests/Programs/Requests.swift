// A program like a server: each line of its input is a request, which a task answers. `hold` makes a task that waits for `release`, `fail`
// one whose error nothing reads; `load PATH` loads a library. With an argument, it is in a state in which nothing may be loaded into it.

import Dispatch
import Foundation

struct Refused: Error {}

actor Counter {
    private var count = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func next() -> Int {
        count += 1
        return count
    }

    func hold() async { await withCheckedContinuation { waiting.append($0) } }

    func release() {
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}

@Sendable func answer(_ counter: Counter) async -> Int {
    async let number = counter.next()
    let sum = await withTaskGroup(of: Int.self) { group in
        for part in 1...3 {
            group.addTask {
                await Task.yield()
                return part
            }
        }
        return await group.reduce(0, +)
    }
    return await number > 0 ? sum : 0
}

/// Calls that Swift's Glibc module lacks.
@_silgen_name("prctl") func control(_ option: Int32, _ a: UInt, _ b: UInt, _ c: UInt, _ d: UInt) -> Int32
@_silgen_name("fork") func makeChild() -> Int32
@_silgen_name("ptrace") func trace(_ request: Int, _ process: Int, _ address: Int, _ data: Int) -> Int

func enter(_ state: String) {
    switch state {
    case "busy":
        print("ready")
        while true {}
    case "handler":
        print("ready")
        // The program may have inherited a mask that blocks it.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGUSR1) { _ in pause() }
        raise(SIGUSR1)
    case "trap":
        signal(SIGTRAP, SIG_IGN)
    case "filter":
        // A filter that allows everything: return SECCOMP_RET_ALLOW.
        var program: [UInt64] = [0x7fff_0000_0000_0006]
        program.withUnsafeMutableBufferPointer { code in
            var filter = (UInt64(1), UInt64(UInt(bitPattern: code.baseAddress)))
            let (noNewPrivileges, setFilter, mode): (Int32, Int32, UInt) = (38, 22, 2)
            precondition(control(noNewPrivileges, 1, 0, 0, 0) == 0)
            precondition(withUnsafePointer(to: &filter) { control(setFilter, mode, UInt(bitPattern: $0), 0, 0) } == 0)
        }
    case "traced":
        // The tracer is a child, which ends with the program's input.
        let tracer = makeChild()
        if tracer == 0 {
            let seize = 0x4206
            let parent = getppid()
            write(1, trace(seize, Int(parent), 0, 0) == 0 ? "ready\n" : "no\n", 6)
            while getppid() == parent { usleep(10000) }
            _exit(0)
        }
    case _: break
    }
}

@main struct Requests {
    static func main() async {
        let counter = Counter()
        setvbuf(stdout, nil, _IOLBF, 0)
        let state = CommandLine.arguments.dropFirst().first ?? ""
        enter(state)
        if state != "traced" { print("ready") }
        // Lines come from a thread of their own, so that no task blocks in the reading.
        let lines = AsyncStream<String> { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
        for await line in lines {
            switch line {
            case "hold":
                Task {
                    await counter.hold()
                    print("released")
                }
                print("held")
            case "release":
                await counter.release()
            case "tighten", "widen":
                // The address space that it has is enough for what it does, and nothing can be added.
                var limit = rlimit(rlim_cur: line == "widen" ? .max : 0, rlim_max: .max)
                setrlimit(__rlimit_resource_t(9), &limit)
                print("done")
            case "fail":
                Task { throw Refused() }
                print("failed")
            case _ where line.hasPrefix("load "):
                print("loading")
                Thread.detachNewThread { print(dlopen(String(line.dropFirst(5)), RTLD_NOW) == nil ? "not loaded" : "loaded") }
            case _:
                print("answer", await Task { await answer(counter) }.value)
            }
        }
    }
}
