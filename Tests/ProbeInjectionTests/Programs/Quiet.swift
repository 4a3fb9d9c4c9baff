// A program that answers each line of its input with the same line, from a task.

import Glibc

@main struct Quiet {
    static func main() async {
        setvbuf(stdout, nil, _IOLBF, 0)
        print("ready")
        while let line = readLine() { print(await Task { line }.value) }
    }
}
