// A program that needs the runtime, and calls none of its functions that move tasks.
@main struct Unswitched {
    static func main() {
        if CommandLine.arguments.count > 100 { Task.detached { print("no answer") } }
        print("answer 42")
    }
}
