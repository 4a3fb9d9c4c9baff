// One task that sleeps, and main, which waits for it. Prints a line once it sleeps. With the argument `crowd`, twenty more sleep.
import Glibc

func napping() async {
    while true {
        try? await Task.sleep(nanoseconds: 3_600_000_000_000)
    }
}

@main struct Sleeping {
    static func main() async {
        for number in 0..<(CommandLine.arguments.contains("crowd") ? 20 : 0) { Task(name: "sleeper \(number)") { await napping() } }
        let task = Task(name: "waiter") { await napping() }
        try? await Task.sleep(nanoseconds: 100_000_000)
        print("asleep")
        fflush(nil)
        await task.value
    }
}
