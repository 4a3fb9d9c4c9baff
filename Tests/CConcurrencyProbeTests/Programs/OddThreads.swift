import Foundation

// Threads in which the probe has to be careful: one that runs on a stack of the program's own, and one that holds a lock for which a
// library waits while it is loaded.

@_silgen_name("getcontext") func getContext(_ context: UnsafeMutablePointer<ucontext_t>) -> Int32
@_silgen_name("makecontext")
func makeContext(_ context: UnsafeMutablePointer<ucontext_t>, _ function: @convention(c) () -> Void, _ count: Int32)
@_silgen_name("swapcontext")
func swapContext(_ left: UnsafeMutablePointer<ucontext_t>, _ entered: UnsafeMutablePointer<ucontext_t>) -> Int32

nonisolated(unsafe) var made: Task<Int, Never>?

/// Makes a task in a coroutine. Behind its stack lies a page that cannot be read, and its frame register has an address there.
func makeOnOwnStack() {
    let (page, size) = (4096, 1 << 18)
    let stack = mmap(nil, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    mprotect(stack + size, page, PROT_NONE)
    let contexts = UnsafeMutablePointer<ucontext_t>.allocate(capacity: 2)
    _ = getContext(contexts + 1)
    contexts[1].uc_stack.ss_sp = stack
    contexts[1].uc_stack.ss_size = size
    contexts[1].uc_link = contexts
    #if arch(x86_64)
        contexts[1].uc_mcontext.gregs.10 = Int64(Int(bitPattern: stack + size + 64))
    #endif
    makeContext(contexts + 1, { made = Task { 7 } }, 0)
    _ = swapContext(contexts, contexts + 1)
}

nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
nonisolated(unsafe) let meeting = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)

func load(_ path: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? { dlopen(path!.assumingMemoryBound(to: CChar.self), RTLD_NOW) }

/// Sleeps with a lock for which the constructor of a library waits.
func sleepWithLock(_ library: String) {
    var thread = pthread_t()
    pthread_mutex_lock(lock)
    pthread_create(&thread, nil, load, strdup(library))
    pthread_barrier_wait(meeting)
    usleep(20_000)
    pthread_mutex_unlock(lock)
    pthread_join(thread, nil)
}

@main
struct OddThreads {
    static func main() async {
        guard CommandLine.arguments.count > 1 else {
            makeOnOwnStack()
            return print("value \(await made!.value)")
        }
        pthread_mutex_init(lock, nil)
        pthread_barrier_init(meeting, nil, 2)
        setenv("ODD_LOCK", "\(UInt(bitPattern: lock))", 1)
        setenv("ODD_MEETING", "\(UInt(bitPattern: meeting))", 1)
        await Task.detached { sleepWithLock(CommandLine.arguments[1]) }.value
        print("value 7")
    }
}
