/// The owner of the continuation that a task waits for, as far as a process's memory shows it.
package struct ContinuationHolder: Hashable, Sendable {
    package enum Proof: String, Sendable {
        /// Memory in use refers to the continuation.
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

    package let proof: Proof
    /// From the holder of the continuation to its owner. Empty unless something holds it.
    package let path: [Step]
    /// The reason why nothing is proven. Empty otherwise.
    package let reason: String

    package init(_ proof: Proof, path: [Step] = [], reason: String = "") {
        (self.proof, self.path, self.reason) = (proof, path, reason)
    }

    /// The words that follow "waits for a continuation".
    package var words: String {
        switch proof {
        case .held:
            guard let owner = path.last else { return "which something holds" }
            let inside = path.dropLast().reversed().map(\.words)
            return "held by \(owner.words)" + (inside.isEmpty ? "" : " (\(inside.joined(separator: ", ")))")
        case .lost: return "which nothing holds: nothing can resume it"
        case .unknown: return "whose holder is unknown" + (reason.isEmpty ? "" : ": \(reason)")
        }
    }
}
