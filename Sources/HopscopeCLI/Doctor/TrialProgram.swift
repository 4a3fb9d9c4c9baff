/// The program with which `hopscope doctor` tries a runtime. What it does is known, so each route either shows it or does not.
enum TrialProgram {
    static let fileName = "Trial.swift"

    /// The text of the line that throws both errors.
    static let throwing = "throw Failure()"

    /// With an argument, it stays with three children of a group after all else.
    static let source = """
        struct Failure: Error {}
        actor Counter {
            private var sum = 0
            func add() { sum += 1 }
        }
        func rest() async { try? await Task.sleep(nanoseconds: 20_000_000) }
        func failing(_ name: String) -> Task<Int, any Error> {
            Task(name: name) {
                await rest()
                throw Failure()
            }
        }
        @main struct Trial {
            static func main() async {
                let counter = Counter()
                await Task.detached(name: "named") {
                    await counter.add()
                    await rest()
                }.value
                let late = failing("late")
                for _ in 0..<5 { await rest() }
                _ = try? await late.value
                _ = failing("unread")
                let cancelled = Task(name: "cancelled") { while !Task.isCancelled { await rest() } }
                await rest()
                cancelled.cancel()
                await cancelled.value
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask(name: "member") { await rest() } }
                    await group.waitForAll()
                }
                _ = Task(name: "dropped") { await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in } }
                for _ in 0..<5 { await rest() }
                guard CommandLine.arguments.count > 1 else { return }
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask(name: "stays") { try? await Task.sleep(nanoseconds: 60_000_000_000) } }
                    await group.waitForAll()
                }
            }
        }
        """
}
