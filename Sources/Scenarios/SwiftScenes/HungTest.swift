import Dispatch
import Synchronization

extension SwiftScene {
    static let hungTest = SwiftScene(
        "hung-test", words: "a test hangs: it awaits a callback that never comes",
        summary: "three tests run, and the upload's delegate forgets to resume its continuation; Overview and w name the line",
        runTests)
}

/// A client with callbacks, wrapped for `await`.
private final class Uploader: Sendable {
    private let waiting = Mutex<[Int: CheckedContinuation<Int, Never>]>([:])
    private let network = DispatchQueue(label: "network")

    func upload(_ bytes: Int) async -> Int {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0[bytes] = continuation }
            network.async { self.didFinish(bytes) }
        }
    }

    /// Forgets uploads without bytes.
    private func didFinish(_ bytes: Int) {
        guard bytes > 0 else { return }
        waiting.withLock { $0.removeValue(forKey: bytes) }?.resume(returning: bytes)
    }
}

private func testSignIn(_ pace: ScenePace) async { await pace.pause(milliseconds: 200) }

private func testUpload(_ uploader: Uploader) async { _ = await uploader.upload(1) }

private func testEmptyUpload(_ uploader: Uploader) async { _ = await uploader.upload(0) }

@Sendable private func runTests(_ pace: ScenePace) async {
    let uploader = Uploader()
    let tests = [
        Task(name: "test signIn()") { await testSignIn(pace) }, Task(name: "test upload()") { await testUpload(uploader) },
        Task(name: "test emptyUpload()") { await testEmptyUpload(uploader) },
    ]
    print("Running \(tests.count) tests.")
    await pace.pause(milliseconds: 12_000)
    print("Giving up.")
}
