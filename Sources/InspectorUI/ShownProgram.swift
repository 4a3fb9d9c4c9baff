import TraceAnalysis

/// The facts about the inspected program that are not in its trace.
package struct ShownProgram {
    package let name: String
    /// The way in which the inspector gets the events. Nil if the program emits them itself.
    package internal(set) var route: String?
    /// The time from which on no event is missing. An inspector that attaches late finds lanes that have lost events.
    package internal(set) var completeSince: UInt64 = 0
    /// Whether names of places in its code are still being looked up.
    package internal(set) var isFindingNames = false
    package internal(set) var hasEnded = false
    /// Nanoseconds between the shown state and the program's present, while events come faster than they are read. 0 if all are read.
    var behind: UInt64 = 0
    /// Whether the trace shows the program's end, once it has ended itself.
    package internal(set) var sawExit = false
    /// Whether the inspector has started the program. It then shows the program's output.
    package internal(set) var isHosting = false
    /// Whether the program that the inspector has started reads what is typed.
    package internal(set) var takesInput = true
    /// Whether the program that the inspector has started has ended.
    package internal(set) var hasProgramEnded = false
    /// Whether the program is a process that can be looked at from outside.
    package internal(set) var canBeLookedAt = false
    /// How the shown order ended, as a clause, of a program that can be run in other orders.
    package internal(set) var orderEnding: String?
    /// The processes of the program that record tasks, the busiest first, and the number of the one that is shown.
    package internal(set) var processes: [ProgramProcess] = []
    package internal(set) var shownProcess: Int32?
    /// The scenes of a demo that leads through itself, or the remarks of a recording, each with the time of the trace at which it begins.
    private var scenes: [(time: UInt64, text: String)] = []

    init(name: String) { self.name = name }

    /// The scene at a time, or the latest one if nil.
    func scene(at time: UInt64?) -> String? {
        guard let time else { return scenes.last?.text }
        return (scenes.last { $0.time <= time } ?? scenes.first)?.text
    }

    /// How to go through the remarks of a recording. Nil if it has less than two.
    var wayThroughRemarks: String? {
        scenes.count < 2 ? nil : "\(scenes.count) remarks lead through this recording: ' goes to the first and on, \" goes back."
    }

    mutating func begin(scene text: String, at time: UInt64) {
        scenes.append((time, PrintableText.text(text)))
    }
}
