// A task computes for ever.
import Glibc

@inline(never) func step(_ value: UInt64) -> UInt64 { value &* 6_364_136_223_846_793_005 &+ 1 }

@inline(never) func computes() -> UInt64 {
    var value: UInt64 = 1
    while value != 0 {
        for _ in 0..<1_000 { value = step(value) | 1 }  // the loop
    }
    return value
}

@main struct Computing {
    static func main() async {
        let task = Task { computes() }
        print("ready")
        fflush(stdout)
        _ = await task.value
    }
}
