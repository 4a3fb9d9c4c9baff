import Foundation

// A thread that waits for events in turns with its work, as those of swift-nio. The program prints how many turns it took.

@_silgen_name("prctl") func processControl(_ option: Int32, _ name: UnsafePointer<CChar>) -> Int32
@_silgen_name("epoll_create1") func epollCreate(_ flags: Int32) -> Int32
@_silgen_name("epoll_wait")
func epollWait(_ epoll: Int32, _ events: UnsafeMutableRawPointer, _ room: Int32, _ timeout: Int32) -> Int32

func spin(milliseconds: Int) {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let end = now.tv_sec * 1_000_000_000 + now.tv_nsec + milliseconds * 1_000_000
    while now.tv_sec * 1_000_000_000 + now.tv_nsec < end { clock_gettime(CLOCK_MONOTONIC, &now) }
}

enum Turn: String {
    case short, long, blocked
}

/// Spends one turn of the loop: computes, or blocks the thread.
func spend(_ turn: Turn) {
    switch turn {
    case .short: spin(milliseconds: 1)
    case .long: spin(milliseconds: 150)
    case .blocked: usleep(150_000)
    }
}

/// Takes 20 turns. The tenth is a special one.
func run(_ special: Turn) {
    let setName: Int32 = 15
    _ = processControl(setName, "test-loop")
    let epoll = epollCreate(0)
    let events = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
    for turn in 0..<20 {
        _ = epollWait(epoll, events, 1, 1)
        spend(turn == 10 ? special : .short)
    }
    events.deallocate()
    close(epoll)
}

nonisolated(unsafe) var special = Turn.short

func runLoop(_ unused: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    run(special)
    return nil
}

/// Waits at one place, however the compiler unrolls loops: a call that is not the last act of the function.
@inline(never) func waitOnce(_ epoll: Int32, _ events: UnsafeMutableRawPointer) -> Int32 { epollWait(epoll, events, 1, 1) &+ 1 }

/// More loops than there are executors for, each with a name of its own.
func runMany(_ count: Int) {
    var threads: [pthread_t] = []
    for _ in 0..<count {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { _ in
                let setName: Int32 = 15
                _ = processControl(setName, "loop \(pthread_self())".suffix(15).description)
                let epoll = epollCreate(0)
                let events = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
                for _ in 0..<6 { _ = waitOnce(epoll, events) }
                events.deallocate()
                close(epoll)
                return nil
            }, nil)
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}

@main
struct EventLoop {
    static func main() async {
        if let count = Int(CommandLine.arguments[1]) {
            await Task.detached {}.value
            return runMany(count)
        }
        var thread = pthread_t()
        special = Turn(rawValue: CommandLine.arguments[1])!
        pthread_create(&thread, nil, runLoop, nil)
        await Task.detached {}.value
        pthread_join(thread, nil)
        print("turns 20")
    }
}
