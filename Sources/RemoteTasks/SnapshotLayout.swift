/// What the tasks of a snapshot prove of the layout of their runtime.
package struct SnapshotLayout: Hashable, Sendable {
    /// The layout version that the runtime states.
    package var version: UInt32 = 0
    /// Whether Hopscope is tested with runtimes of this version.
    package var isListed = true
    /// Whether the version is an assumption, because the runtime has no symbols.
    package var isAssumed = false
    /// Whether it is known which tasks are children of which.
    package var knowsParents = true
    /// Whether it is known which tasks belong to which group. A group without members in a snapshot has none only then.
    package var knowsGroups = true
    /// Flags of tasks' statuses that this version of Hopscope does not know.
    package var unknownStatusBits: UInt64 = 0

    /// Sentences for a layout that is not as usual.
    var notes: [String] {
        var notes: [String] = []
        if isAssumed {
            notes.append("The program has no symbols of the Swift runtime: the layout of Swift \(TaskLayout.listed.releases) is assumed.")
        } else if !isListed {
            notes.append(
                "The Swift runtime has layout version \(version), which Hopscope is not tested with: the tasks themselves prove the layout."
            )
        }
        if !knowsParents { notes.append("The tasks do not prove where their parents are, so children stand beside their parents.") }
        if unknownStatusBits != 0 {
            notes.append("Tasks have flags that Hopscope does not know: 0x\(String(unknownStatusBits, radix: 16)).")
        }
        return notes
    }
}
