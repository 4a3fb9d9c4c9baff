import TaskEvents
import TraceTestKit

/// The traces that the screen tests show.
enum SampleTraces {
    /// A program in the middle of its work: a fault that is forwarded and recovered from, a fork, a join, an inner task, a deep queue.
    static var kinesis: TraceBuilder {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let net = trace.executor("net", .pool)
        let inline = trace.executor("immediate", .immediate)

        let save = trace.root("saveRecord", on: net, line: 12)
        trace.enqueue(save)
        trace.advance(microseconds: 400)
        trace.start(save)
        let submit = trace.continuation("submitAllRecords", of: save, on: net, line: 15)
        let report = trace.continuation("report", of: submit, on: main, line: 19)
        let audit = trace.continuation("audit", of: save, on: inline, line: 24)
        trace.advance(milliseconds: 12)
        trace.fault(save, type: "KinesisError", message: "throttled")
        trace.skip(submit)
        trace.hop(report, from: net, to: main)
        trace.enqueue(report)
        trace.start(audit, .inline)
        trace.advance(microseconds: 20)
        trace.complete(audit)
        trace.endJob(save)
        trace.advance(microseconds: 1080)
        trace.start(report)
        trace.advance(microseconds: 200)
        trace.readError(of: submit, by: report)
        trace.complete(report)
        trace.endJob(report)

        let sequence = trace.root("saveInSequence", on: net, line: 30)
        trace.enqueue(sequence)
        trace.advance(microseconds: 90)
        trace.start(sequence)
        trace.advance(milliseconds: 1)
        let first = trace.root("putRecord 1", on: net, line: 31)
        trace.enqueue(first)
        let second = trace.continuation("putRecord 2", of: first, on: net, line: 32)
        trace.wait(sequence, forInner: second)
        trace.endJob(sequence)
        let notify = trace.continuation("notify", of: sequence, on: main, line: 36)

        trace.advance(microseconds: 30)
        trace.start(first)
        let uploads = (1...3).map { trace.root("upload \($0)", on: net, line: 40) }
        for upload in uploads { trace.enqueue(upload) }
        let all = trace.join(of: uploads, line: 44)
        _ = trace.continuation("finish", of: all, on: main, line: 45)
        _ = notify
        trace.advance(milliseconds: 3)
        trace.start(uploads[0])
        trace.advance(milliseconds: 8)
        trace.complete(uploads[0])
        trace.endJob(uploads[0])
        trace.advance(microseconds: 12)
        trace.start(uploads[1])
        trace.advance(milliseconds: 2)
        return trace
    }

    /// Errors with every verdict: recovered, read outside, transformed, aggregated by a join, swallowed, injected, pending, unobserved.
    static var faults: TraceBuilder {
        var trace = kinesis
        let main = trace.executor("ui", .queue)
        let disk = trace.executor("disk", .pool)

        let parts = (1...3).map { trace.root("writePart \($0)", on: disk, line: 60) }
        let written = trace.join(of: parts, line: 64)
        let retry = trace.continuation("retry", of: written, on: disk, line: 66)
        let show = trace.continuation("showFailure", of: retry, on: main, line: 70)
        for (index, part) in parts.enumerated() {
            trace.enqueue(part)
            trace.advance(microseconds: 30)
            trace.start(part)
            trace.advance(milliseconds: 2)
            if index == 1 { trace.complete(part) } else { trace.fault(part, type: "DiskError", message: "full(part: \(index + 1))") }
            trace.endJob(part)
        }
        trace.fault(written, type: "AggregateError", message: "2 errors", .transformed)
        trace.hop(retry, from: disk, to: disk)
        trace.enqueue(retry)
        trace.advance(microseconds: 40)
        trace.start(retry)
        trace.advance(milliseconds: 1)
        trace.readError(of: written, by: retry)
        trace.fault(retry, type: "SyncError", message: "gaveUp", .transformed, from: written)
        trace.endJob(retry)
        trace.hop(show, from: disk, to: main)
        trace.enqueue(show)

        let cache = trace.root("warmCache", on: disk, line: 80)
        trace.run(cache, milliseconds: 1)
        let lost = trace.continuation("indexCache", of: cache, on: disk, line: 82)
        trace.enqueue(lost)
        trace.start(lost)
        trace.advance(microseconds: 600)
        trace.fault(lost, type: "CacheError", message: "corrupt")
        trace.endJob(lost)
        trace.release(lost)

        let ping = trace.root("ping", on: disk, line: 90)
        let blind = trace.continuation("logPing", of: ping, on: main, line: 91)
        trace.enqueue(ping)
        trace.start(ping)
        trace.advance(microseconds: 300)
        trace.fault(ping, type: "URLError", message: "timedOut", .injected)
        trace.endJob(ping)
        trace.hop(blind, from: disk, to: main)
        trace.enqueue(blind)
        trace.advance(microseconds: 500)
        trace.start(blind)
        trace.advance(microseconds: 100)
        trace.complete(blind)
        trace.endJob(blind)
        return trace
    }

    /// A task that another one has resumed, waits in a cancellation shield, and has been cancelled.
    static var shielded: TraceBuilder {
        var trace = TraceBuilder()
        let server = trace.create(.unstructured, "serve", line: 12)
        let cleaner = trace.create(.unstructured, "cleaner", of: [server], line: 20)
        let answerer = trace.create(.unstructured, "answerer", line: 30)
        let call = trace.code(CodeSymbol(function: "tidy()", file: "main.swift", line: 24))
        let wait = trace.code(
            CodeSymbol(function: "tidy()", file: "main.swift", line: 26),
            CodeSymbol(function: "closure #1 in serve()", file: "main.swift", line: 20))
        for task in [server, answerer, cleaner] {
            trace.lane = UInt16(task.rawValue)
            trace.enqueue(task)
            trace.advance(microseconds: 20)
            trace.start(task)
        }
        trace.advance(milliseconds: 2)
        trace.suspend(cleaner, .continuation, in: wait)
        trace.advance(milliseconds: 5)
        trace.enqueue(cleaner, by: answerer)
        trace.advance(microseconds: 40)
        trace.start(cleaner)
        trace.emit(TaskEvent(.shielded, task: cleaner, label: call, detail: ShieldManner.began.rawValue))
        trace.advance(milliseconds: 1)
        trace.emit(
            TaskEvent(.cancellationAsked, task: cleaner, other: server.rawValue, detail: CancellationRequest.called.rawValue))
        trace.advance(milliseconds: 3)
        trace.suspend(cleaner, .continuation, in: wait)
        trace.advance(milliseconds: 250)
        trace.mark("later")
        return trace
    }

    /// Names with wide characters, with joined emoji, and with control characters for the terminal.
    static var unruly: TraceBuilder {
        var trace = TraceBuilder()
        let main = trace.executor("主线程", .main)
        let net = trace.executor("réseau\u{1B}[31m", .pool)
        let names = [
            "保存记录到数据库然后报告结果给用户", "👩‍👩‍👧‍👦 family upload", "naïve café", "esc\u{1B}[2Jape", "tab\there\nand line", "rtl\u{202E}override",
        ]
        for (index, name) in names.enumerated() {
            let task = trace.root(name, on: index % 2 == 0 ? net : main, line: UInt32(index + 1))
            trace.run(task, after: 1, milliseconds: UInt64(index + 1))
            let then = trace.continuation("→ \(name)", of: task, on: main)
            trace.hop(then, from: net, to: main)
            trace.enqueue(then)
        }
        let failed = trace.root("失败", on: net)
        trace.enqueue(failed)
        trace.advance(microseconds: 700)
        trace.start(failed)
        trace.advance(microseconds: 3)
        trace.fault(failed, type: "Fehler", message: "kaputt\u{7}\u{1B}]0;x")
        return trace
    }

    /// A queue of a hundred thousand jobs, one of which is running.
    static func load(_ count: Int) -> TraceBuilder {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let tasks = (0..<count).map { _ in trace.root("work", on: pool) }
        for task in tasks { trace.enqueue(task) }
        trace.advance(milliseconds: 1)
        trace.start(tasks[0])
        trace.advance(milliseconds: 5)
        return trace
    }
}
