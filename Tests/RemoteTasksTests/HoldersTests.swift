import Foundation
import RemoteTasks
import Testing
import TraceReport
import TraceTestKit

/// What holds the continuations of a program whose tasks say in their names what holds theirs.
@Suite(.timeLimit(.minutes(5)))
struct HoldersTests {
    /// Looks until all tasks wait and no thread runs during a look: a busy machine starts the program's tasks later than it prints `ready`.
    private func look(at program: RunningProgram, until isReady: (Snapshot) -> Bool = { _ in true }) throws -> Snapshot {
        var snapshot: Snapshot
        repeat {
            snapshot = try Snapshot(of: RemoteProcess(pid: program.pid), findsHolders: true)
        } while snapshot.holders.count < snapshot.tasks.count(where: { $0.state != .pending }) || !isReady(snapshot)
            || snapshot.holders.values.contains { $0.reason.contains("ran while") || $0.reason.contains("changed while") }
        return snapshot
    }

    private func holders(_ snapshot: Snapshot, named prefix: String) -> [(name: String, holder: ContinuationHolder?)] {
        snapshot.tasks.filter { $0.name.hasPrefix(prefix) }.map { ($0.name, snapshot.holders[$0.address]) }
    }

    @Test(
        "Each holder is named by its type and its property, a lost continuation is never called held, and no other is called lost",
        arguments: UnpreparedProgram.Build.allCases)
    func namesHolders(build: UnpreparedProgram.Build) throws {
        let program = try RunningProgram(try UnpreparedProgram.holders.path(build), ["200", "2000"])
        let snapshot = try look(at: program)
        let shapes = holders(snapshot, named: "held ")
        #expect(shapes.count == 22)
        for (name, holder) in shapes {
            let words = name.split(separator: " ").map(String.init)
            // Without names, the program's variables look like those of the runtime that it contains.
            if build == .staticStripped, words[1] == "global" || words[1] == "system" {
                #expect(holder.map { $0.proof != .lost } == true, "\(name)")
                continue
            }
            let owner = holder?.path.last
            #expect(holder?.proof == .held, "\(name): \(holder?.words ?? "nothing")")
            switch words[1] {
            // A stripped program has no names of its global variables.
            case "global": #expect(owner?.type == "global" && (!build.hasSymbols || owner?.field == words[2]), "\(name)")
            // A thread of Dispatch may still have on its stack what it has just armed.
            case "system": #expect(owner?.type == "global" || owner?.type == "thread", "\(name): \(holder?.words ?? "")")
            case _: #expect(owner?.type.hasSuffix(".\(words[1])") == true && owner?.field == words[2], "\(name): \(holder?.words ?? "")")
            }
        }
        let sealed = holders(snapshot, named: "sealed")
        #expect(sealed.count == 5)
        for (name, holder) in sealed {
            #expect(holder?.subject == (name == "sealed job" ? .job : .stream), "\(name): \(holder?.words ?? "nothing")")
            #expect(holder?.proof != .held, "\(name): \(holder?.words ?? "nothing")")
        }
        #expect(build == .staticStripped || sealed.contains { $0.holder?.proof == .lost })
        for (name, holder) in holders(snapshot, named: "framed") {
            let words = "\(name): \(holder?.words ?? "nothing")"
            if name == "framed old" { #expect(holder?.proof != .held, "\(words)") } else { #expect(holder?.proof == .held, "\(words)") }
        }
        // A word that is not where Swift puts one holds nothing for certain.
        #expect(holders(snapshot, named: "packed").map { $0.holder?.proof } == [.unknown])
        let crowd = holders(snapshot, named: "crowd")
        let ofCrowd = crowd.filter { $0.holder?.proof == .held && $0.holder?.path.last?.type.hasSuffix(".Crowd") == true }
        #expect(crowd.count == 2000 && ofCrowd.count == 2000)
        let lost = holders(snapshot, named: "lost")
        let other = lost.filter { $0.holder?.proof != .lost }.map { $0.holder?.words ?? "nothing" }
        // An old word in memory whose size in use is not known leaves some of them unknown: the 20 whose memory a text has, and others.
        // In a stripped program that contains Dispatch, a thread that waits for work looks like one in the program's code.
        let isEnough = other.count <= (build == .staticStripped ? 200 : 60) && other.allSatisfy { $0.hasPrefix("whose holder is unknown") }
        #expect(lost.count == 200 && isEnough, "\(other.count): \(Array(Set(other).prefix(4)))")
    }

    @Test("A continuation on the stack of a thread is not called lost, nor held: a frame keeps old words")
    func seesStacks() throws {
        let program = try RunningProgram(try UnpreparedProgram.holders.path(.debug), ["16", "0", "thread"])
        let snapshot = try look(at: program) { snapshot in
            // The new thread takes the continuation from an object.
            (holders(snapshot, named: "stacked") + holders(snapshot, named: "dropped")).allSatisfy {
                $0.holder?.path.last?.type.hasSuffix(".Box") != true
            }
        }
        for name in ["stacked", "dropped"] {
            let stack = holders(snapshot, named: name)
            #expect(stack.count == 1 && stack[0].holder?.reason.hasPrefix("the stack of thread ") == true, "\(stack)")
            #expect(stack[0].holder?.reason.hasSuffix(" may hold it") == true, "\(stack)")
        }
        #expect(holders(snapshot, named: "held ").allSatisfy { $0.holder?.proof == .held })
        // The registers of the new thread are not known.
        #expect(holders(snapshot, named: "lost").allSatisfy { $0.holder?.proof == .unknown })
    }

    @Test("A core file tells the holders that the running process told", .enabled(if: writesCoreFiles()))
    func ofCore() throws {
        let folder = try ScratchFolder()
        let path = try UnpreparedProgram.holders.path(.debug)
        let program = try RunningProgram(path, ["16"], coreFolder: folder.path)
        let live = try look(at: program)
        program.end(with: SIGABRT)
        let core = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasPrefix("core") })
        let dead = try Snapshot(of: RemoteProcess(core: folder.path(core), program: path), findsHolders: true)
        let held = holders(dead, named: "held ")
        #expect(held.count == 22)
        let known = Dictionary(uniqueKeysWithValues: holders(live, named: "held ").map { ($0.name, $0.holder) })
        for (name, holder) in held {
            // In one of the two looks a thread of Dispatch may still have on its stack what it has just armed.
            let both = [holder, known[name] ?? nil]
            let isInThread = both.allSatisfy { $0?.proof == .held } && both.contains { $0?.path.last?.type == "thread" }
            #expect(holder == known[name] || isInThread, "\(name): \(holder?.words ?? "nothing")")
        }
        #expect(holders(dead, named: "sealed").allSatisfy { $0.holder?.proof != .held })
        let lost = holders(dead, named: "lost")
        #expect(lost.count == 16 && lost.allSatisfy { $0.holder?.proof != .held }, "\(lost)")
        #expect(lost.contains { $0.holder?.proof == .lost }, "\(lost)")
    }

    @Test("What the reports say of a continuation, of a stream and of a job that something or nothing holds")
    func tells() throws {
        let program = try RunningProgram(try UnpreparedProgram.holders.path(.debug), ["1"])
        let report = SnapshotReport(try look(at: program), program: "holders", route: .snapshot)
        var (text, json) = ("", "")
        report.writeText(to: &text, isASCII: true, showsStacks: false)
        report.writeJSON(to: &json)
        let site = try UnpreparedProgram.holders.site(of: "func lose()")
        #expect(text.contains("waits for a continuation at \(site) in lose(), which nothing holds: nothing can resume it"))
        #expect(text.contains(", held by main.ResponsePool.waiters (Dictionary)"))
        let path = #""path":[{"field":null,"type":"Dictionary"},{"field":"waiters","type":"main.ResponsePool"}],"proof":"held""#
        #expect(json.contains(path))
        #expect(json.contains(#""holder":{"path":[],"proof":"lost"}"#))
        let findings = report.findings
        #expect(findings.allSatisfy { $0.rule == "lost-continuation" } && findings.contains { $0.site == site })
        let laneSite = try UnpreparedProgram.holders.site(of: "await slowWorker.work()")
        let queued = "queued, for main.Lane at \(laneSite) in closure #4 in holdEnds(), its job is held by main.Lane.jobs (Array)"
        #expect(text.contains(queued))
        let hang = HangReport(report, deadline: "1 s").findings().map(\.message)
        let ends: [(subject: ContinuationHolder.Subject, task: String, end: String)] = [
            (.stream, "sealed stream", ", and nothing holds its other end: only a cancellation can end the wait."),
            (.job, "sealed job", ", and nothing holds its job for main.Lane: nothing can run it."),
        ]
        for (subject, task, end) in ends {
            let words = ContinuationHolder(.lost, of: subject).words
            for (name, holder) in holders(report.snapshot, named: task) where holder?.proof == .lost {
                #expect(hang.contains { $0.contains(name) && $0.hasSuffix(end) }, "\(hang)")
                #expect(text.split(separator: "\n").contains { $0.contains(name) && $0.contains(words) }, "\(name)")
                #expect(findings.contains { $0.message.contains("\(name) waits") && $0.message.contains(subject.lostWords) }, "\(name)")
            }
        }
    }
}
