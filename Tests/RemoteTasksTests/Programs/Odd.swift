// A task that waits, and beside it memory that no sound program has. The argument chooses the oddity.
import Glibc

func nap() async { try? await Task.sleep(nanoseconds: 3_600_000_000_000) }

actor Counter {
    var value = 0
    func count() { value += 1 }
}

/// Memory without a header of the C library.
func map(_ size: Int) -> UnsafeMutableRawPointer {
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)!
    precondition(memory != MAP_FAILED)
    return memory
}

let taskWords = 26

/// Writes a copy of a suspended task, with another number and another chain of frames.
func forge(_ task: Task<Void, Never>, at address: UnsafeMutablePointer<UInt64>, number: UInt32, context: UInt64) {
    let original = unsafeBitCast(task, to: UnsafePointer<UInt64>.self)
    for i in 0..<taskWords { address[i] = original[i] }
    address[4] = original[4] & 0xffff_ffff | UInt64(number) << 32
    address[8] = context
}

@main struct Program {
    static func main() async {
        let task = Task(name: "sound") { await nap() }
        let counter = Counter()
        await counter.count()
        try? await Task.sleep(nanoseconds: 300_000_000)
        let words = unsafeBitCast(task, to: UnsafePointer<UInt64>.self)
        let function = UnsafePointer<UInt64>(bitPattern: UInt(words[8]))![1]

        switch CommandLine.arguments[1] {
        case "reserved":
            // As the sanitizers do.
            let reserved = (0..<14).map { _ in map(1 << 40) }
            // A page without rights, so that the kernel does not join them with memory of the C library that is in use.
            mprotect(reserved[0] + ((1 << 40) - 4096), 4096, PROT_NONE)
            let sparse = map(1 << 36)
            // A page without rights, so that the kernel does not join it with the mapping above.
            mprotect(sparse + ((1 << 36) - 4096), 4096, PROT_NONE)
            let address = (sparse + (1 << 35)).assumingMemoryBound(to: UInt64.self)
            forge(task, at: address, number: 1_000_000, context: words[8])
        case "frames":
            // The parent of a frame is the frame itself; and a circle of three.
            let memory = map(1 << 16).assumingMemoryBound(to: UInt64.self)
            memory[0] = 1
            for (number, start, count) in [(0, 64, 1), (1, 128, 3)] {
                for i in 0..<count {
                    memory[start + 2 * i] = UInt64(UInt(bitPattern: memory + start + 2 * ((i + 1) % count)))
                    memory[start + 2 * i + 1] = function
                }
                forge(
                    task, at: memory + 256 + 32 * number, number: 1_000_000 + UInt32(number),
                    context: UInt64(UInt(bitPattern: memory + start)))
            }
        case "queues":
            // Two thousand actors, whose queues lead into one circle of jobs.
            let memory = map(1 << 20).assumingMemoryBound(to: UInt64.self)
            let original = unsafeBitCast(counter, to: UnsafePointer<UInt64>.self)
            memory[0] = 1
            let jobs = (1...8).map { memory + 8 * $0 }
            for (job, next) in zip(jobs, jobs.dropFirst() + jobs.prefix(1)) { job[2] = UInt64(UInt(bitPattern: next)) }
            for i in 0..<2000 {
                let actor = memory + 1024 + 16 * i
                for word in 0..<14 { actor[word] = original[word] }
                actor[4] = actor[4] & ~7 | 1
                actor[8] = UInt64(UInt(bitPattern: jobs[0]))
            }
        case "pairs", "neighbours":
            // Pairs of an address and a plausible count of references. Each address is another one, of the same memory: far away, or near.
            let step = CommandLine.arguments[1] == "pairs" ? 7919 : 1
            let size = 16 << 20
            let memory = map(size).assumingMemoryBound(to: UInt64.self)
            let pairs = size / 16
            let start = UInt64(UInt(bitPattern: memory))
            for i in 0..<pairs { (memory[2 * i], memory[2 * i + 1]) = (start + UInt64((i &* step + 1) % pairs) * 16 + 8, 3) }
        case "unanswered":
            // A page that another program would fill, and never does. A task's frames lead there.
            typealias Call = @convention(c) (Int, Int) -> Int
            let call = unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "syscall"), to: Call.self)
            let (userfaultfd, api, register) = (323, UInt(0xc018_aa3f), UInt(0xc020_aa00))
            let file = Int32(call(userfaultfd, 0))
            let memory = map(1 << 16)
            var agreement: [UInt64] = [0xaa, 0, 0]
            var range: [UInt64] = [UInt64(UInt(bitPattern: memory)), 1 << 16, 1, 0]
            guard file >= 0, ioctl(file, api, &agreement) == 0, ioctl(file, register, &range) == 0 else {
                print("impossible")
                break
            }
            let forged = map(4096).assumingMemoryBound(to: UInt64.self)
            forge(task, at: forged + 64, number: 1_000_000, context: UInt64(UInt(bitPattern: memory)))
        case "own-runtime":
            // The runtime's library, mapped to be read. As libraries come first in memory from above, both places are taken.
            let path = CommandLine.arguments[2]
            let file = open(path, O_RDONLY)
            let size = Int(lseek(file, 0, SEEK_END))
            for address in [nil, UnsafeMutableRawPointer(bitPattern: 0x1000_0000)] {
                precondition(mmap(address, size, PROT_READ, MAP_PRIVATE, file, 0) != MAP_FAILED)
            }
        case "threads":
            for _ in 0..<Int(CommandLine.arguments[2])! {
                var thread = pthread_t()
                var attributes = pthread_attr_t()
                pthread_attr_init(&attributes)
                pthread_attr_setstacksize(&attributes, 1 << 16)
                precondition(
                    pthread_create(
                        &thread, &attributes,
                        { _ in
                            pause()
                            return nil
                        }, nil) == 0)
            }
        default: fatalError("unknown oddity")
        }
        print("ready")
        fflush(stdout)
        await nap()
        print(counter)
    }
}
