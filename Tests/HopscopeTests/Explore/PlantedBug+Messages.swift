import Hopscope

/// Bugs of messages: replies, subscribers, order between executors.
extension PlantedBug {
    static let messages: [PlantedBug] = [
        PlantedBug("reply before the waiter is stored") { isHealthy in
            let net = serial("net"), waiters = Box<[Int: TaskCompletionSource<String>]>([:])
            let source = TaskCompletionSource<String>(name: "reply 1")
            if isHealthy { waiters.change { $0[1] = source } }
            _ = ChainTask(on: net, name: "receive") { waiters.change { $0.removeValue(forKey: 1) }?.set("pong") }
            if !isHealthy { waiters.change { $0[1] = source } }
            try must(await source.task.value == "pong", "another reply")
        },
        PlantedBug("reply and timeout both complete the call") { isHealthy in
            let source = TaskCompletionSource<String>(name: "call"), net = serial("net")
            let reply = ChainTask<Void>.delay(.milliseconds(5)).continueWith(on: net, name: "reply") { _ in
                if isHealthy { source.trySet("pong") } else if !source.task.isCompleted { source.set("pong") }
            }
            ChainTask<Void>.delay(.milliseconds(5)).continueWith(on: serial("clock"), name: "give up") { _ in
                if isHealthy { source.trySet("none") } else if !source.task.isCompleted { source.set("none") }
            }
            _ = try await source.task.value
            try await reply.value
        },
        PlantedBug("late subscriber") { isHealthy in
            let subscribers = Box<[TaskCompletionSource<Int>]>([]), bus = serial("bus"), other = serial("view")
            let source = TaskCompletionSource<Int>(name: "first value")
            let subscribed = ChainTask(on: other, name: "subscribe") { subscribers.change { $0.append(source) } }
            let publish: @Sendable () -> Void = { for subscriber in subscribers.value { subscriber.set(7) } }
            if isHealthy {
                subscribed.continueWith(on: bus, name: "publish") { _ in publish() }
            } else {
                _ = ChainTask(on: bus, name: "publish", publish)
            }
            try must(await source.task.value == 7, "another value")
        },
        PlantedBug("two executors, one log") { isHealthy in
            let lines = Box<[String]>([]), disk = serial("disk"), net = serial("net")
            let saved = ChainTask(on: disk, name: "save") { lines.change { $0.append("saved") } }
            let told: ChainTask<Void>
            if isHealthy {
                told = saved.continueWith(on: net, name: "tell") { _ in lines.change { $0.append("told") } }
            } else {
                told = ChainTask(on: net, name: "tell") { lines.change { $0.append("told") } }
            }
            try await ChainTask.whenAll([saved, told]).value
            try must(lines.value == ["saved", "told"], "\(lines.value)")
        },
        PlantedBug("stale answer wins") { isHealthy in
            let shown = Box(""), newest = Box(0), view = serial("view")
            let search: @Sendable (Int, String) -> ChainTask<Void> = { number, text in
                newest.value = number
                return ChainTask(on: serial("server \(number)"), name: "search \(text)") { text }
                    .continueOnSuccessWith(on: view, name: "show \(text)") { text in
                        if !isHealthy || newest.value == number { shown.value = text }
                    }
            }
            try await ChainTask.whenAll([search(1, "a"), search(2, "ab")]).value
            try must(shown.value == "ab", "it shows '\(shown.value)'")
        },
        PlantedBug("three steps in one order") { isHealthy in
            let state = Box("idle")
            let step: @Sendable (String, String, String) -> ChainTask<Void> = { name, from, to in
                ChainTask(on: serial(name), name: name) { if state.value == from { state.value = to } }
            }
            let steps = [step("stop", "open", "closed"), step("open", "warm", "open"), step("warm", "idle", "warm")]
            try await ChainTask.whenAll(steps).value
            try must(isHealthy || state.value != "closed", "it closed before it was used")
        },
        PlantedBug("end of stream overtakes the last item") { isHealthy in
            let items = Box<[Int]>([]), count = Box(-1), ended = TaskCompletionSource<Int>(name: "end of stream")
            let reader = serial("reader"), control = isHealthy ? reader : serial("control")
            for item in 1...3 { _ = ChainTask(on: reader, name: "item \(item)") { items.change { $0.append(item) } } }
            _ = ChainTask(on: control, name: "end") {
                count.value = items.value.count
                ended.set(count.value)
            }
            try must(await ended.task.value == 3, "it ended after \(count.value)")
        },
    ]
}
