import TaskEvents

/// A root with everything that continues from it, as far as the store keeps it.
package struct Chain: Hashable, Sendable {
    /// The root's id.
    package var id: TaskID
    /// By id, which is the order in which they were made.
    package var tasks: [TaskID]
    /// The chains whose tasks are inputs or inner tasks of this one's, by id.
    package var linked: [TaskID]
    /// Whether tasks were left out, because the limit was reached or the store has forgotten what came before.
    package var isPartial: Bool

    package init(id: TaskID, tasks: [TaskID], linked: [TaskID] = [], isPartial: Bool = false) {
        self.id = id
        self.tasks = tasks
        self.linked = linked
        self.isPartial = isPartial
    }
}
