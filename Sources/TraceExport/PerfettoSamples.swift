import TextOutput
import TraceAnalysis
import TraceStore

/// The samples of a profile, as Chrome's tools write theirs. Each thread has a track with a tree of calls, and each sample names the call
/// in which it was taken. Perfetto draws flame graphs of them.
struct PerfettoSamples {
    private let moments: [SampledStacks.Moment]
    private let stacks: [NamedStack]

    init(_ profile: ProfiledTrace, _ store: TraceStore) {
        moments = profile.stacks.moments
        stacks = profile.named(in: store)
    }

    private struct Call: Hashable {
        var parent: Int
        var function: String
        var file: String
        var line: UInt32
    }

    /// The calls of one thread, each after its caller. The first stands for all of them.
    private struct Tree {
        var calls = [Call(parent: 0, function: "(root)", file: "", line: 0)]
        private var numbers: [Call: Int] = [:]

        /// The number of the innermost call of a stack.
        mutating func add(_ stack: NamedStack) -> Int {
            var number = 1
            for name in stack.taskNames { number = add(Call(parent: number, function: name, file: "", line: 0)) }
            for frame in stack.frames.reversed() {
                number = add(Call(parent: number, function: frame.function, file: frame.file, line: frame.line))
            }
            return number
        }

        private mutating func add(_ call: Call) -> Int {
            if let known = numbers[call] { return known }
            calls.append(call)
            numbers[call] = calls.count
            return calls.count
        }
    }

    /// Writes a profile for each thread, each on a track of its own.
    func write(_ writer: PerfettoWriter, firstTrack: Int, to line: inout JSONLine) {
        var first = 0
        var track = firstTrack
        while first < moments.count {
            let thread = moments[first].thread
            let end = moments[first...].firstIndex { $0.thread != thread } ?? moments.count
            write(moments[first..<end], of: thread, writer, track: track, to: &line)
            (first, track) = (end, track + 1)
        }
    }

    private func write(
        _ samples: ArraySlice<SampledStacks.Moment>, of thread: UInt32, _ writer: PerfettoWriter, track: Int, to line: inout JSONLine
    ) {
        guard let start = samples.first?.time else { return }
        var tree = Tree()
        let numbers = samples.map { tree.add(stacks[$0.sampled]) }
        writer.writeName("samples of thread \(thread)", ofTrack: track, to: &line)
        let id = "0x" + String(track, radix: 16)
        writer.writeProfile("Profile", id, track: track, at: start, to: &line) { $0.field("startTime", start / 1_000) }
        writer.writeProfile("ProfileChunk", id, track: track, at: start, to: &line) { line in
            line.object("cpuProfile") { line in
                line.array("nodes") { line in
                    for (index, call) in tree.calls.enumerated() { write(call, number: index + 1, to: &line) }
                }
                line.array("samples") { line in for number in numbers { line.number(UInt64(number)) } }
            }
            line.array("timeDeltas") { line in
                var before = start / 1_000
                for sample in samples {
                    line.number(sample.time / 1_000 - before)
                    before = sample.time / 1_000
                }
            }
        }
    }

    private func write(_ call: Call, number: Int, to line: inout JSONLine) {
        line.object { line in
            line.field("id", number)
            if call.parent > 0 { line.field("parent", call.parent) }
            line.object("callFrame") { line in
                line.field("functionName", call.function)
                line.field("url", call.file)
                line.field("lineNumber", Int(call.line) - 1)
                line.field("scriptId", 0)
            }
        }
    }
}
