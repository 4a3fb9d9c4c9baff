import TaskEvents

/// Finds tasks with equal places in the graph, for which one box is enough.
package enum BoxFolds {
    /// The largest number of rounds. A graph that needs more has no two tasks with equal places that are worth the search.
    private static let rounds = 32

    /// Groups of at least five tasks, in the order of `tasks`. All tasks of a group have the same key, and each has links of the same kinds
    /// from tasks of the same groups and to tasks of the same groups. So a graph of the groups has no link that the tasks do not have.
    ///
    /// - Parameter key: nil for a task that needs a box of its own.
    package static func groups(of tasks: [TaskID], in graph: some RailGraph, key: (TaskID) -> Int?) -> [[TaskID]] {
        var classes = Classes(tasks, in: graph, key: key)
        for _ in 0..<rounds {
            guard classes.refine(rounds) else { return [] }
            let small = classes.members.filter { (2..<RailFolds.leastCount).contains($0.count) }
            guard !small.isEmpty else { return classes.members.filter { $0.count > 1 }.map { $0.map { tasks[$0] } } }
            for member in small.joined() { classes.separate(member) }
        }
        return []
    }

    /// A division of the tasks into classes, which becomes finer until equal classes have equal neighbours.
    private struct Classes {
        /// By task. A task alone in its class has a negative number.
        private var numbers: [Int]
        /// The tasks before and behind each task, with the links' kinds.
        private var neighbours: [[(kind: Int, task: Int)]]

        private struct Shape: Hashable {
            var number: Int
            var neighbours: [Int]
        }

        init(_ tasks: [TaskID], in graph: some RailGraph, key: (TaskID) -> Int?) {
            let indices = Dictionary(tasks.enumerated().map { ($1, $0) }) { first, _ in first }
            let keys = tasks.map(key)
            numbers = tasks.indices.map { keys[$0] ?? -1 - $0 }
            neighbours = Array(repeating: [], count: tasks.count)
            for (from, task) in tasks.enumerated() {
                graph.forEachSuccessor(of: task) { successor, kind in
                    guard let to = indices[successor] else { return }
                    neighbours[from].append((2 * Int(kind.rawValue), to))
                    neighbours[to].append((2 * Int(kind.rawValue) + 1, from))
                    // Tasks of one kind that follow one another are a chain, not siblings.
                    if keys[from] == keys[to] {
                        numbers[from] = -1 - from
                        numbers[to] = -1 - to
                    }
                }
            }
        }

        var members: [[Int]] {
            Dictionary(grouping: numbers.indices) { numbers[$0] }.values.sorted { $0[0] < $1[0] }
        }

        mutating func separate(_ task: Int) {
            numbers[task] = -1 - task
        }

        /// False if `rounds` are not enough.
        mutating func refine(_ rounds: Int) -> Bool {
            var count = Set(numbers).count
            for _ in 0..<rounds {
                var known: [Shape: Int] = [:]
                numbers = numbers.indices.map { task in
                    guard numbers[task] >= 0 else { return numbers[task] }
                    let around = neighbours[task].map { $0.kind &+ 16 &* numbers[$0.task] }.sorted()
                    let shape = Shape(number: numbers[task], neighbours: around)
                    let number = known[shape] ?? known.count
                    known[shape] = number
                    return number
                }
                let finer = Set(numbers).count
                if finer == count { return true }
                count = finer
            }
            return false
        }
    }
}
