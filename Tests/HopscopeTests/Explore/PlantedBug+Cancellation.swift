import Hopscope

/// Bugs of cancellation, timeouts and retries.
extension PlantedBug {
    static let cancellations: [PlantedBug] = [
        PlantedBug("cancelled before the handler is stored") { isHealthy in
            let source = CancellationTokenSource(), token = source.token
            let stopped = TaskCompletionSource<Void>(name: "stopped"), handler = Box<(@Sendable () -> Void)?>(nil)
            _ = ChainTask(on: serial("user"), name: "cancel") {
                source.cancel()
                handler.value?()
            }
            let start = ChainTask(on: serial("worker"), name: "start") {
                guard !token.isCancellationRequested else { return stopped.set(()) }
                _ = ChainTask(on: serial("log"), name: "log") {}
                if isHealthy { token.onCancel { stopped.set(()) } } else { handler.value = { stopped.trySet(()) } }
            }
            try await start.value
            try await stopped.task.value
        },
        PlantedBug("the cancelled loser writes") { isHealthy in
            let answer = Box(""), source = CancellationTokenSource()
            let ask: @Sendable (String) -> ChainTask<String> = { name in
                ChainTask(on: serial(name), name: "ask \(name)") { name }
            }
            let write: @Sendable (String) -> Void = { name in
                if isHealthy {
                    answer.change { if $0.isEmpty { $0 = name } }
                } else if !source.token.isCancellationRequested {
                    answer.value = name
                }
            }
            let both = ["near", "far"].map { name in
                ask(name).continueOnSuccessWith(on: serial("\(name) result"), name: "take \(name)") { name in
                    write(name)
                    let kept = answer.value
                    source.cancel()
                    return kept == answer.value
                }
            }
            let kept = try await ChainTask.whenAllResults(both).value
            try must(kept.allSatisfy(\.self), "the answer changed")
        },
        PlantedBug("a timeout that is taken for a failure") { isHealthy in
            let orders = Box(0), shop = serial("shop")
            let order: @Sendable () -> ChainTask<Void> = {
                ChainTask<Void>.delay(.milliseconds(2)).continueOnSuccessWith(on: shop, name: "order") {
                    orders.change { if !isHealthy || $0 == 0 { $0 += 1 } }
                }
            }
            let first = order()
            try await first.timeout(after: .milliseconds(12)).continueOnErrorWithTask(name: "order again") { _ in order() }.value
            _ = try await first.value
            try must(orders.value == 1, "ordered \(orders.value) times")
        },
        PlantedBug("retry commits twice") { isHealthy in
            let commits = Box<Set<Int>>([]), done = Box(false)
            let commit: @Sendable (Int) -> Void = { number in
                let isFirst = done.change { done in
                    defer { done = true }
                    return !done
                }
                if !isHealthy || isFirst { commits.change { $0.insert(number) } }
            }
            let late = ChainTask<Void>.delay(.milliseconds(5)).continueWith(on: serial("first"), name: "first answer") { _ in commit(1) }
            let retried = ChainTask<Void>.delay(.milliseconds(10)).continueWithTask(on: serial("clock"), name: "retry") { _ in
                guard !late.isCompleted else { return ChainTask(()) }
                return ChainTask(on: serial("second"), name: "second answer") { commit(2) }
            }
            try await ChainTask.whenAll([late, retried]).value
            try must(commits.value.count == 1, "committed \(commits.value.sorted())")
        },
        PlantedBug("a task outlives its call") { isHealthy in
            let isOpen = Box(true), wrote = TaskCompletionSource<Bool>(name: "wrote")
            let write = ChainTask(on: serial("disk"), name: "write") { wrote.set(isOpen.value) }
            let close = ChainTask(on: serial("files"), name: "use") {}
            try await (isHealthy ? close.continueWithTask { _ in write } : close).value
            isOpen.value = false
            try must(await wrote.task.value, "it wrote into a closed file")
        },
    ]
}
