import Hopscope

/// Bugs of state that several jobs share.
extension PlantedBug {
    static let state: [PlantedBug] = [
        PlantedBug("lost update") { isHealthy in
            let balance = Box(0), bank = serial("bank")
            let deposits = (1...2).map { number in
                if isHealthy { return ChainTask(on: bank, name: "deposit \(number)") { balance.change { $0 += 1 } } }
                return elsewhere(number * number).continueWith(on: bank, name: "read \(number)") { _ in balance.value }
                    .continueOnSuccessWith(on: bank, name: "write \(number)") { balance.value = $0 + 1 }
            }
            try await ChainTask.whenAll(deposits).value
            try must(balance.value == 2, "the balance is \(balance.value)")
        },
        PlantedBug("cache stampede") { isHealthy in
            let loads = Box(0), pool = ChainExecutor.pool(name: "loader", width: 2)
            let value = Box<Int?>(nil), loading = Box<ChainTask<Int>?>(nil)
            let load: @Sendable () -> ChainTask<Int> = {
                ChainTask(on: pool, name: "load") { loads.change { $0 += 1 } }.continueOnSuccessWith(name: "keep") {
                    value.value = 1
                    return 1
                }
            }
            let get: @Sendable () -> ChainTask<Int> = {
                if let value = value.value { return ChainTask(value) }
                guard isHealthy else { return load() }
                let source = TaskCompletionSource<Int>()
                let known = loading.change { loading -> ChainTask<Int>? in
                    if let loading { return loading }
                    loading = source.task
                    return nil
                }
                if let known { return known }
                load().continueOnSuccessWith { source.set($0) }
                return source.task
            }
            let readers = (1...2).map { number in
                elsewhere(number * 2).continueWithTask(on: serial("reader \(number)"), name: "get \(number)") { _ in get() }
            }
            try await ChainTask.whenAll(readers).continueWith { _ in }.value
            try must(loads.value == 1, "loaded \(loads.value) times")
        },
        PlantedBug("published before it is configured") { isHealthy in
            let service = Box<String?>(nil), limit = Box(0)
            let make = ChainTask(on: serial("main"), name: "make") {
                if isHealthy { limit.value = 10 }
                service.value = "service"
                _ = ChainTask(on: serial("log"), name: "log") {}
                if !isHealthy { limit.value = 10 }
            }
            let use = ChainTask(on: serial("user"), name: "use") { service.value == nil || limit.value == 10 }
            try await make.value
            try must(await use.value, "used with a limit of 0")
        },
        PlantedBug("the last one closes") { isHealthy in
            let open = Box(2), closed = Box(0)
            let leave: @Sendable (Int) -> ChainTask<Void> = { number in
                elsewhere(number * 3).continueWithTask(on: serial("worker \(number)"), name: "leave \(number)") { _ in
                    if isHealthy {
                        let isLast = open.change { open in
                            open -= 1
                            return open == 0
                        }
                        if isLast { closed.change { $0 += 1 } }
                        return ChainTask(())
                    }
                    open.change { $0 -= 1 }
                    return ChainTask(on: serial("check \(number)"), name: "check \(number)") {
                        if open.value == 0 { closed.change { $0 += 1 } }
                    }
                }
            }
            try await ChainTask.whenAll([leave(1), leave(2)]).value
            try must(closed.value == 1, "closed \(closed.value) times")
        },
        PlantedBug("flush loses an item") { isHealthy in
            let pending = Box<[Int]>([]), written = Box<[Int]>([]), disk = serial("disk")
            let flush: @Sendable () -> ChainTask<Void> = {
                if isHealthy {
                    let items = pending.change { pending in
                        defer { pending = [] }
                        return pending
                    }
                    return ChainTask(on: disk, name: "write") { written.change { $0 += items } }
                }
                let items = pending.value
                return ChainTask(on: disk, name: "write") { written.change { $0 += items } }.continueOnSuccessWith(name: "clear") {
                    pending.value = []
                }
            }
            pending.change { $0.append(1) }
            let first = flush()
            let second = ChainTask.flattening(on: serial("producer"), name: "produce") {
                pending.change { $0.append(2) }
                return first.continueWithTask(name: "flush again") { _ in flush() }
            }
            try await ChainTask.whenAll([first, second]).value
            try must(written.value.contains(2), "written: \(written.value)")
        },
        PlantedBug("re-entrant actor") { isHealthy in
            actor Account {
                var balance = 1
                func withdraw(_ check: ChainTask<Void>, _ isHealthy: Bool) async throws {
                    guard balance > 0 else { return }
                    if isHealthy { balance -= 1 }
                    try await check.value
                    if !isHealthy { balance -= 1 }
                }
            }
            let account = Account()
            let withdraw: @Sendable (Int) async throws -> Void = { number in
                try await elsewhere(number * 4).value
                let check = ChainTask(on: serial("fraud \(number)"), name: "check \(number)") {}
                try await account.withdraw(check, isHealthy)
            }
            async let first: Void = withdraw(1)
            async let second: Void = withdraw(2)
            _ = try await (first, second)
            let balance = await account.balance
            try must(balance == 0, "the balance is \(balance)")
        },
    ]
}
