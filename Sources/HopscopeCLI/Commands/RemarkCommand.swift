import ArgumentParser
import Foundation
import TaskEvents
import TraceAnalysis
import TraceFile
import TraceStore
import TraceTransport

/// `hopscope remark`: copies a recording with remarks that lead its reader through it.
struct RemarkCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "remark",
        abstract: "Copies a recording with remarks that lead another reader through it.",
        usage: "hopscope remark <recording> <remarks> -o <file>",
        discussion: """
            The remarks are a text file with a line for each: the place, a colon, a space and the text. A place is 'start', 'end', a time such \
            as '120ms', a rule's name, which stands for the event that shows the harm of its first finding, or 'task' and the name of a task, \
            which stands for the last event of the first task of that name. Lines that begin with '#' are left out.

            In the inspector, ' goes to the next remark and " to the one before; the remark stands above the event strip, and its task is \
            selected. Three lines of the terminal are shown of a remark.
            """)

    @Argument(help: "A recording.", completion: .file())
    var recording: String

    @Argument(help: "The file with the remarks.", completion: .file())
    var remarks: String

    @Option(name: .shortAndLong, help: ArgumentHelp("The copy.", valueName: "file"))
    var output: String

    func perform() throws {
        guard case .recording(let reader) = try OpenedTrace(path: recording) else {
            throw UserError("'\(recording)' is no recording; 'hopscope record' makes one.", .unreadable)
        }
        guard let text = try? String(contentsOfFile: remarks, encoding: .utf8) else {
            throw UserError("The remarks '\(remarks)' cannot be read as text.", .noSuchFile)
        }
        guard !Self.isSameFile(recording, output) else {
            throw UserError("'\(output)' is the recording itself, which is read while the copy is written; name another file.", .wrongUsage)
        }
        try RegionRecording.check(output)
        let reading = OpenedTrace.recording(reader).read(time: clock)
        let remarks = try Self.lines(of: text).map { try Remark($0, in: reading) }
        let stackNames = reader.stackNames
        let file = try TraceFileWriter(path: output, header: reader.header) { _, _ in FoundNames(stacks: stackNames) }
        try write(remarks, in: reading, to: file)
        if let profile = reader.profile() { try file.write(profile) }
        try file.finish(sawExit: reader.sawExit == true, at: reader.knownUntil)
    }

    private static func isSameFile(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    static func lines(of text: String) -> [Substring] {
        text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace) }
    }

    /// Writes the events of the recording, each remark after the event at its place.
    private func write(_ remarks: [Remark], in reading: TraceReading, to file: TraceFileWriter) throws(TraceProblem) {
        var names = reading.store.entries
        let events = remarks.enumerated().map { index, remark in
            names.append(.text(remark.text))
            let label = EntryID(rawValue: names.count - 1)
            // Remarks at one place get times of their own, by which the inspector tells them apart.
            return (
                number: remark.number,
                mark: TaskEvent(
                    .mark, task: remark.task, at: remark.time + UInt64(index), label: label, detail: MarkManner.guide.rawValue)
            )
        }
        file.write(names)
        var left = events.sorted { ($0.number, $0.mark.time) < ($1.number, $1.mark.time) }[...]
        var failure: TraceProblem?
        reading.history.forEachStretch { stretch in
            guard failure == nil else { return }
            do throws(TraceProblem) {
                var next = stretch.first
                while let remark = left.first, remark.number < stretch.numbers.upperBound {
                    if remark.number >= next { try file.write(TraceBatch(stretch.limited(to: next..<remark.number + 1))) }
                    try file.write(TraceBatch(events: [remark.mark], lanes: [TraceBatch.noLane]))
                    next = max(next, remark.number + 1)
                    left.removeFirst()
                }
                if next < stretch.numbers.upperBound {
                    try file.write(TraceBatch(stretch.limited(to: next..<stretch.numbers.upperBound)))
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}

/// A line of the remarks, and its place in a trace.
private struct Remark {
    let text: String
    /// The number of the event that it follows; 0 for a remark before all events.
    let number: Int
    let time: UInt64
    let task: TaskID

    init(_ line: Substring, in reading: TraceReading) throws(UserError) {
        // A task's name can have colons, as in `App.swift:12`.
        guard let mark = line.firstRange(of: ": "), mark.upperBound < line.endIndex else {
            throw UserError("'\(line)' is no remark: a remark is a place, a colon, a space and a text.", .wrongUsage)
        }
        let place = try Self.place(String(line[..<mark.lowerBound]), in: reading)
        text = String(line[mark.upperBound...])
        number = place.number
        time = reading.history.event(number: place.number)?.event.time ?? 0
        task = place.task
    }

    private static func place(_ word: String, in reading: TraceReading) throws(UserError) -> (number: Int, task: TaskID) {
        let history = reading.history
        if word == "start" { return (0, .none) }
        if word == "end" { return (history.eventCount, .none) }
        if let time = DurationText.nanoseconds(word) {
            var number = 0
            history.forEachStretch { stretch in
                number = stretch.events.lastIndex { $0.time <= time }.map { stretch.first + $0 } ?? number
            }
            return (number, .none)
        }
        if word.hasPrefix("task ") { return try lastEvent(ofTask: String(word.dropFirst("task ".count)), in: reading) }
        guard let finding = reading.warnings.groups.first(where: { $0.rule == word })?.first else {
            throw UserError("'\(word)' is no place in the recording: no rule of this name has found anything in it.", .wrongUsage)
        }
        let evidence = finding.evidence.indices.contains(finding.harm) ? finding.evidence[finding.harm] : nil
        return (evidence?.number(in: history) ?? history.eventCount, finding.task)
    }

    private static func lastEvent(ofTask name: String, in reading: TraceReading) throws(UserError) -> (number: Int, task: TaskID) {
        let store = reading.store
        let words = TaskWords(store)
        guard let row = store.rows.first(where: { [store[$0].label.name, words.name(of: store[$0].id)].contains(name) }) else {
            throw UserError("There is no task '\(name)' in the recording; 'hopscope report' names its tasks.", .wrongUsage)
        }
        let task = store[row].id
        var number = 0
        reading.history.forEachStretch { stretch in
            number = stretch.events.lastIndex { $0.task == task }.map { stretch.first + $0 } ?? number
        }
        return (number, task)
    }
}
