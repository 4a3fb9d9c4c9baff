/// Ten programs that each exist twice: as they are, and with one change.
///
/// Their work sleeps in the kernel, so that the processors are not the limit.
@main
enum Changes {
    static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "alone": await alone()
        case "burst": await burst()
        case "child": await child()
        case "group": await group()
        case "slower": await slower()
        case "widened": await crowd(on: Workers(isChanged ? 4 : 1))
        case "doubled": await crowd(on: Workers(isChanged ? 4 : 2))
        case "narrowed": await crowd(on: Workers(isChanged ? 1 : 4))
        case "behind": await behind()
        case "drawn": await drawn()
        case "served": await served()
        case let name: fatalError("There is no program \(name ?? "").")
        }
    }

    // MARK: Programs

    private static func alone() async {
        let workers = Workers(4)
        await arrivals(every: 8) { number in
            Task(name: "request \(number)", executorPreference: workers) { work(changed(5 + Double(number % 8), 0.5)) }  // alone
        }
    }

    /// A server, whose requests are children of one task.
    private static func served() async {
        let workers = Workers(8)
        let store = Store()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask(executorPreference: workers) {  // request
                    work(2 + Double(number % 3))
                    await Task(name: "lookup") { await store.hold(changed(5, 0.5)) }.value  // served
                }
                try? await Task.sleep(nanoseconds: 7_000_000)
            }
        }
    }

    private static func burst() async {
        let store = Store()
        var tasks: [Task<Void, Never>] = []
        for number in 0..<100 {
            let milliseconds = changed(4 + Double(number % 3), 0.5)
            tasks.append(Task(name: "request \(number)") { await store.hold(milliseconds) })  // burst
        }
        for task in tasks { await task.value }
    }

    private static func child() async {
        let workers = Workers(6)
        await arrivals(every: 10) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                work(3)
                await Task(name: "child", executorPreference: workers) { work(changed(8 + Double(number % 6), 0.5)) }.value  // child
                work(2)
            }
        }
    }

    private static func group() async {
        let workers = Workers(12)
        await arrivals(every: 12) { number in
            Task(name: "request \(number)", executorPreference: workers) {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { work(4) }
                    group.addTask { work(changed(15 + Double(number % 5), 1 / 3)) }  // group
                    group.addTask { work(9) }
                }
                work(2)
            }
        }
    }

    private static func slower() async {
        let workers = Workers(6)
        let store = Store()
        await arrivals(every: 12) { number in
            Task(name: "request \(number)", executorPreference: workers) {  // slower
                work(changed(3, 1.5))
                await store.hold(changed(4, 1.5))
                work(changed(Double(number % 4), 1.5))
            }
        }
    }

    private static func crowd(on workers: Workers) async {
        var tasks: [Task<Void, Never>] = []
        for round in 0..<10 {
            for number in 0..<10 {
                tasks.append(
                    Task(name: "request \(round * 10 + number)", executorPreference: workers) { work(3 + Double(number % 4)) })
            }
            try? await Task.sleep(nanoseconds: 30_000_000)
        }
        for task in tasks { await task.value }
    }

    /// Requests wait for an actor behind tasks made elsewhere.
    private static func behind() async {
        let workers = Workers(6)
        let store = Store()
        await arrivals(every: 20) { number in
            let compacts = Task(name: "compact", executorPreference: workers) { await store.hold(changed(12, 0.25)) }  // behind
            return Task(name: "request \(number)", executorPreference: workers) {
                work(1)
                await store.hold(2)
                await compacts.value
            }
        }
    }

    private static func drawn() async {
        let workers = Workers(6)
        await arrivals(every: 16) { number in
            Task(name: "draw") { @MainActor in work(changed(9, 0.5)) }  // drawn
            return Task(name: "request \(number)", executorPreference: workers) {
                work(2)
                await MainActor.run { work(1) }
                work(1)
            }
        }
    }
}
