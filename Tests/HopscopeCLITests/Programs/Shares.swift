import Dispatch
import Foundation
import Glibc

/// Tasks whose shares of time are known. Each prints the processor time that it took, by its thread's own clock.
@main
enum Shares {
    static func main() async {
        await Task(name: "spins") { told("spins") { spin(milliseconds: 150) } }.value
        await Task(name: "sleeps") { told("sleeps") { usleep(150_000) } }.value
        await Task(name: "reads") { told("reads") { readFromPipe() } }.value
        await Task(name: "waits") { told("waits") { waitForSemaphore() } }.value
        await Task(name: "awaits") { await Task(name: "child") { spin(milliseconds: 50) }.value }.value
        fflush(nil)
    }

    private static func processorTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func told(_ name: String, _ body: () -> Void) {
        let start = processorTime()
        body()
        print("\(name) \(processorTime() - start)")
    }

    private nonisolated(unsafe) static var passes = 0

    private static func spin(milliseconds: UInt64) {
        let end = processorTime() + milliseconds * 1_000_000
        while processorTime() < end { for _ in 0..<10_000 { passes &+= 1 } }
    }

    /// `read` blocks, and the probe does not see it.
    private static func readFromPipe() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let writer = ends[1]
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { _ = write(writer, "x", 1) }
        var byte: UInt8 = 0
        _ = read(ends[0], &byte, 1)
    }

    private static func waitForSemaphore() {
        let semaphore = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { semaphore.signal() }
        semaphore.wait()
    }
}
