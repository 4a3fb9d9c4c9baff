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

/// Takes 20 turns. One of them is long in the program with that argument.
func run(isLong: Bool) {
    let setName: Int32 = 15
    _ = processControl(setName, "test-loop")
    let epoll = epollCreate(0)
    let events = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
    for turn in 0..<20 {
        _ = epollWait(epoll, events, 1, 1)
        spin(milliseconds: turn == 10 && isLong ? 150 : 1)
    }
    events.deallocate()
    close(epoll)
}

func runLong(_ unused: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    run(isLong: true)
    return nil
}

func runShort(_ unused: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    run(isLong: false)
    return nil
}

@main
struct EventLoop {
    static func main() async {
        var thread = pthread_t()
        if CommandLine.arguments.last == "long" {
            pthread_create(&thread, nil, runLong, nil)
        } else {
            pthread_create(&thread, nil, runShort, nil)
        }
        await Task.detached {}.value
        pthread_join(thread, nil)
        print("turns 20")
    }
}
