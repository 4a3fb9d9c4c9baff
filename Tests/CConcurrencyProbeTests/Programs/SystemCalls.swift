import Dispatch
import Foundation

// System calls and locks of a Swift task. The program prints the result of each, and the error number after it.

@_silgen_name("syscall") func systemCall(_ number: Int, _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int) -> Int

#if arch(x86_64)
    let (closing, mapping, futex) = (3, 9, 202)
#else
    let (closing, mapping, futex) = (57, 222, 98)
#endif
let (lockOfOneProcess, unlockOfOneProcess) = (6 | 128, 7 | 128)

/// Prints what a call returns and the error number after it. No system call has the number that stands before it.
func show(_ name: String, _ call: () -> Int) {
    errno = 4242
    let result = call()
    print(name, result, errno)
}

/// A word that threads lock by the system.
final class Word: @unchecked Sendable {
    let place = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    init() { place.initialize(to: 0) }
    deinit { place.deallocate() }

    func lock(until: UnsafePointer<timespec>? = nil) -> Int {
        systemCall(futex, Int(bitPattern: place), lockOfOneProcess, 0, Int(bitPattern: until), 0, 0)
    }

    func unlock() -> Int { systemCall(futex, Int(bitPattern: place), unlockOfOneProcess, 0, 0, 0, 0) }
}

/// The bytes of this program's second page are the same, mapped and read: all six arguments arrive.
func mapsSecondPage() -> Bool {
    let page = Int(getpagesize())
    let file = open("/proc/self/exe", O_RDONLY)
    defer { close(file) }
    let address = systemCall(mapping, 0, page, Int(PROT_READ), Int(MAP_PRIVATE), Int(file), page)
    guard let mapped = UnsafeRawPointer(bitPattern: address), address != -1 else { return false }
    var bytes = [UInt8](repeating: 0, count: page)
    return pread(file, &bytes, page, off_t(page)) == page && memcmp(mapped, bytes, page) == 0
}

@main struct SystemCalls {
    static func main() async {
        await Task.detached { calls() }.value
    }

    static func calls() {
        print("maps", mapsSecondPage())
        show("no file", { systemCall(closing, -1, 0, 0, 0, 0, 0) })
        let word = Word()
        show("lock", { word.lock() })
        show("own lock", { word.lock() })
        show("unlock", { word.unlock() })
        show("lock of no one", { word.unlock() })

        let (held, seen) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            _ = word.lock()
            held.signal()
            seen.wait()
            _ = word.unlock()
            held.signal()
        }
        held.wait()
        var past = timespec()
        show("lock of another until 1970", { word.lock(until: &past) })
        seen.signal()
        held.wait()

        var semaphore = sem_t()
        sem_init(&semaphore, 0, 1)
        show("permit", { Int(sem_wait(&semaphore)) })

        // A child that is forked inside a task.
        show(
            "child",
            {
                let child = forked()
                var status: Int32 = 0
                if child == 0 { _exit(word.lock() == 0 && word.lock() == -1 && errno == EDEADLK ? 7 : 8) }
                return waitpid(child, &status, 0) == child ? Int(status >> 8) : -1
            })
    }
}

@_silgen_name("fork") func forked() -> Int32
