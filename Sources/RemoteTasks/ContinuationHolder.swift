/// The owner of what can let a waiting task go on, as far as a process's memory shows it.
package struct ContinuationHolder: Hashable, Sendable {
    package enum Proof: String, Sendable {
        /// Memory in use refers to it.
        case held
        /// No memory in use refers to it, all memory was read, and no thread ran meanwhile: nothing can resume the task.
        case lost
        /// Neither is proven.
        case unknown
    }

    /// A part of the way from the continuation to something with a name.
    package struct Step: Hashable, Sendable {
        /// The name of a class with its module, or `Array`, `Dictionary`, `Set`, `closure`, `box`, `global`, `task`, `thread`.
        package let type: String
        /// The name of the stored property, of the global variable, of the task or the thread; empty if there is none.
        package let field: String

        /// The step as a person would name it.
        package var words: String {
            switch type {
            case "global": field.isEmpty ? "a global variable" : "the global variable \(field)"
            case "task": "the task \(field)"
            case "thread": "the stack of thread \(field)"
            case "register": "a register of thread \(field)"
            case "closure": "a closure"
            case "box": "a captured variable"
            case "memory": field.isEmpty ? "memory without a type" : "memory at \(field)"
            case "kernel": "the kernel, for \(field)"
            case _: field.isEmpty ? type : "\(type).\(field)"
            }
        }
    }

    /// The thing that lets the task go on.
    package enum Subject: Hashable, Sendable {
        case continuation
        /// The end of an `AsyncStream` that sends and finishes. The task reads the other end.
        case stream
        /// The task's job. The program's own executor has to run it.
        case job

        /// The words that follow "waits".
        package var lostWords: String {
            switch self {
            case .continuation: "for a continuation that nothing holds: nothing can resume it"
            case .stream: "for a stream whose other end nothing holds: only a cancellation can end the wait"
            case .job: "for a turn on an executor, and nothing holds its job: nothing can run it"
            }
        }
    }

    package let subject: Subject
    package let proof: Proof
    /// From the holder of the continuation to its owner. Empty unless something holds it.
    package let path: [Step]
    /// The reason why nothing is proven. Empty otherwise.
    package let reason: String

    package init(_ proof: Proof, of subject: Subject = .continuation, path: [Step] = [], reason: String = "") {
        (self.subject, self.proof, self.path, self.reason) = (subject, proof, path, reason)
    }

    /// The words that follow "waits for a continuation", or "queued for an executor".
    package var words: String {
        switch proof {
        case .held:
            guard let owner = path.last else { return "which something holds" }
            let inside = path.dropLast().reversed().map(\.words)
            let held = "held by \(owner.words)" + (inside.isEmpty ? "" : " (\(inside.joined(separator: ", ")))")
            return subject == .job ? "its job is " + held : held
        case .lost:
            switch subject {
            case .continuation: return "which nothing holds: nothing can resume it"
            case .stream: return "of a stream whose other end nothing holds: only a cancellation can end the wait"
            case .job: return "whose job nothing holds: nothing can run it"
            }
        case .unknown: return "whose holder is unknown" + (reason.isEmpty ? "" : ": \(reason)")
        }
    }
}

/// What holds the continuations and the jobs of tasks, by the tasks' addresses.
struct HolderFindings {
    var holders: [UInt64: ContinuationHolder] = [:]
    /// The descriptors to which the holders lead.
    var descriptors: [UInt64: WaitedDescriptor] = [:]
}
