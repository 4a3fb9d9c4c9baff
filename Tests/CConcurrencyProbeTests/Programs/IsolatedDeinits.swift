// Objects whose deinits run on an executor. The last release comes from elsewhere, but for those of `atOnce`.

import Dispatch
import Synchronization

@globalActor actor Store {
    static let shared = Store()
}

let ended = Atomic(0)

@inline(never)
func work(milliseconds: Int = 2) {
    let end = DispatchTime.now() + .milliseconds(milliseconds)
    while DispatchTime.now() < end {}
    ended.add(1, ordering: .releasing)
}

@Store class Page {
    nonisolated init() {}
    isolated deinit { work(milliseconds: 40) }
}

@Store final class Cover: Page {
    nonisolated override init() { super.init() }
    isolated deinit { work() }
}

@MainActor final class Window {
    nonisolated init() {}
    isolated deinit { work() }
}

actor Account {
    isolated deinit { work() }
}

final class Plain: Sendable {
    deinit { work() }
}

@main
struct IsolatedDeinits {
    static func main() async {
        onMainsThread()
        // A task releases them on the global executor.
        await Task.detached { elsewhere() }.value
        await until(106)
        atOnce()
        await Task.detached { _ = Plain() }.value
        await Task.detached { _ = Account() }.value
        await until(110)
        // The jobs of both executors have ended.
        await Store.shared.nothing()
        await Task { @MainActor in }.value
    }

    static func elsewhere() {
        for _ in 0..<100 { _ = Window() }
        _ = Page()
        _ = Cover()
        _ = Window()
    }

    /// On its own executor, a deinit is a part of the release.
    @MainActor static func atOnce() {
        _ = Window()
        _ = Window()
    }

    /// Main runs the first deinit at once. Dispatch runs the block on another thread once main has suspended. To the runtime that thread is
    /// not main's, so the second deinit is a job.
    nonisolated static func onMainsThread() {
        _ = Window()
        DispatchQueue.main.async { _ = Window() }
    }

    static func until(_ count: Int) async {
        while ended.load(ordering: .acquiring) < count { await Task.yield() }
    }
}

extension Store {
    func nothing() {}
}
