import TaskEvents
import TraceAnalysis
import TraceStore

/// Samples in the format of pprof: a gzip file with a protocol-buffers message, as github.com/google/pprof/proto/profile.proto defines it.
/// A sample's stack ends with its tasks, innermost first, those that were made at one place as one function. Its label `task` has their
/// numbers.
struct PprofExport: Export {
    static let name = "pprof"
    static let summary = "samples for pprof, the viewer of profiles"
    static let needsProfile = true

    let trace: Exporter

    func write(to output: inout some TextOutputStream) {}

    var bytes: [UInt8]? {
        guard let profile = trace.profile else { return nil }
        var file = PprofFile()
        return file.bytes(of: profile, trace)
    }
}

/// The parts of a file of pprof while it is made.
private struct PprofFile {
    private var strings: [String: UInt64] = ["": 0]
    private var table = [""]
    private var functions: [String: UInt64] = [:]
    private var locations: [Call: UInt64] = [:]
    private var message = ProtobufMessage()
    private var definitions = ProtobufMessage()

    mutating func bytes(of profile: ProfiledTrace, _ trace: Exporter) -> [UInt8] {
        let period = 1_000_000_000 / UInt64(max(1, profile.stacks.hertz))
        valueType(1, "samples", "count")
        valueType(1, "cpu", "nanoseconds")
        let stacks = profile.named(in: trace.store)
        let tree = FlameTree(stacks, in: trace.store)
        for (index, stack) in stacks.enumerated() { sample(stack, of: tree.taskNodes(ofStack: index), period: period) }
        message.append(definitions)
        message.number(9, trace.start)
        message.number(10, trace.store.now)
        valueType(11, "cpu", "nanoseconds")
        message.number(12, period)
        for string in table { message.string(6, string) }
        return GzipFile.bytes(of: message.bytes)
    }

    private mutating func sample(_ stack: NamedStack, of tasks: [FlameTree.Node], period: UInt64) {
        let places = stack.frames.map { location(Call($0)) } + tasks.reversed().map { location(Call($0)) }
        let (key, value) = (string("task"), string(stack.taskNames.joined(separator: "; ")))
        message.message(2) { sample in
            for place in places { sample.number(1, place) }
            sample.number(2, UInt64(stack.count))
            sample.number(2, UInt64(stack.count) * period)
            sample.message(3) { label in
                label.number(1, key)
                label.number(2, value)
            }
        }
    }

    private mutating func valueType(_ field: UInt64, _ type: String, _ unit: String) {
        let (type, unit) = (string(type), string(unit))
        message.message(field) { value in
            value.number(1, type)
            value.number(2, unit)
        }
    }

    private mutating func location(_ call: Call) -> UInt64 {
        if let known = locations[call] { return known }
        let id = UInt64(locations.count + 1)
        locations[call] = id
        let function = function(call)
        definitions.message(4) { location in
            location.number(1, id)
            location.number(3, UInt64(call.offset))
            location.message(4) { line in
                line.number(1, function)
                line.number(2, UInt64(call.line))
            }
        }
        return id
    }

    private mutating func function(_ call: Call) -> UInt64 {
        let key = "\(call.function)\u{0}\(call.file)"
        if let known = functions[key] { return known }
        let id = UInt64(functions.count + 1)
        functions[key] = id
        let (name, file) = (string(call.function), string(call.file))
        definitions.message(5) { function in
            function.number(1, id)
            // Without the name of its symbol, pprof takes the name as it is, and does not cut what stands in angle brackets.
            function.number(2, name)
            function.number(4, file)
        }
        return id
    }

    private mutating func string(_ text: String) -> UInt64 {
        if let known = strings[text] { return known }
        let id = UInt64(table.count)
        strings[text] = id
        table.append(text)
        return id
    }
}

/// A function of a stack, at one place of it.
private struct Call: Hashable {
    let function: String
    let file: String
    let line: UInt32
    let offset: UInt32

    init(_ frame: NamedStack.Frame) {
        (function, file, line, offset) = (frame.function, frame.file, frame.line, frame.place.offset)
    }

    /// A task, as a function at the place that made it.
    init(_ task: FlameTree.Node) {
        let colon = task.site.lastIndex(of: ":") ?? task.site.endIndex
        (function, file, line, offset) = (task.name, String(task.site[..<colon]), UInt32(task.site[colon...].dropFirst()) ?? 0, 0)
    }
}
