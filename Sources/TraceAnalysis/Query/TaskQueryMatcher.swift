import TaskEvents
import TraceStore

/// A query prepared for one store. It tests each name, error and executor once, and compares only numbers per task, 64 tasks at a time.
///
/// Valid as long as the query stays the same. Names that arrive later are tested when they first occur. Belongs to the store's thread.
package struct TaskQueryMatcher {
    private let store: TraceStore
    private let tests: [(test: TaskTest, isNegated: Bool)]
    /// Whether the tests are made of blocks, too.
    package let includesBlocks: Bool

    /// - Parameter warnings: the findings of each task, for a query with the field `warn`.
    package init(_ query: TaskQuery, in store: TraceStore, warnings: WarningIndex = WarningIndex()) {
        self.store = store
        includesBlocks = query.asksForBlocks
        // Tests of numbers run before tests of names.
        tests = query.terms.map { $0.test(in: store, warnings) }.sorted { $0.test.cost < $1.test.cost }
    }

    /// The matching tasks of a block, one bit each.
    package func fitting(_ block: borrowing TaskBlock) -> UInt64 {
        var fitting = block.all
        for (test, isNegated) in tests {
            let matches = test.matches(block)
            fitting &= isNegated ? ~matches : matches
            if fitting == 0 { return 0 }
        }
        return fitting
    }

    /// The matching tasks of the store, by ascending id.
    package func tasks() -> [TaskID] {
        var tasks: [TaskID] = []
        // Reserved memory that is never written costs nothing. Growing the array would cost more than the tests.
        tasks.reserveCapacity(store.keptCount)
        append(to: &tasks)
        return tasks
    }

    /// Appends the matching ones of the next tasks after `id`, about `limit` of which are compared.
    ///
    /// - Returns: the id to continue after; nil if there are no more tasks.
    @discardableResult
    package func append(after id: TaskID = .none, limit: Int = .max, to tasks: inout [TaskID]) -> TaskID? {
        store.forEachBlock(after: id, limit: limit, includesBlocks: includesBlocks) { block in
            var fitting = fitting(block)
            guard fitting != 0 else { return }
            let ids = block.read(.id)
            while fitting != 0 {
                tasks.append(TaskID(rawValue: ids[fitting.trailingZeroBitCount]))
                fitting &= fitting - 1
            }
        }
    }
}

extension QueryTerm {
    fileprivate func test(in store: TraceStore, _ warnings: WarningIndex) -> (test: TaskTest, isNegated: Bool) {
        switch condition {
        case .free(let text): return (FreeTest(TextTest(.contains, [text]), in: store), isNegated)
        case .state(let states): return (StateTest(states, in: store), isNegated)
        case .kind(let bits): return (KindTest(bits), isNegated)
        case .number(.chain, let sign, let numbers): return (ChainTest(sign, numbers, in: store), isNegated)
        case .number(let field, let sign, let numbers): return (NumberTest(field, sign, numbers), isNegated)
        case .warning(let rules, let isNone): return (NamedTasksTest(warnings.tasks(of: rules)), isNegated != isNone)
        case .text(let field, let sign, let texts):
            let text = TextTest(sign, texts)
            switch field {
            case .site: return (LabelTest.ofSite(text, in: store), isNegated)
            case .error: return (ErrorTest(text, in: store), isNegated)
            case .waits: return (WaitsTest(text, in: store), isNegated)
            case .on: return (ExecutorTest(text, in: store), isNegated)
            case .name, .state, .kind, .warn, .id, .chain, .total, .busy, .queued, .suspended, .hops, .next:
                return (LabelTest.ofName(text, in: store), isNegated)
            }
        }
    }
}
