import TaskEvents
import Testing
import TraceTestKit

@testable import TraceStore

/// Blocks are jobs of executors and no tasks: they are counted, numbered and listed apart.
@Suite struct BlockTests {
    private static func trace() -> (store: TraceStore, task: TaskID, blocks: [TaskID], main: ExecutorID) {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.create(.detached, "load", line: 3)
        let first = trace.block("load", on: main, by: task, line: 4)
        let second = trace.block("load", on: main, by: first, line: 5)
        trace.advance(milliseconds: 2)
        trace.start(first, .slice, on: main)
        trace.advance(milliseconds: 30)
        trace.complete(first)
        return (trace.store(), task, [first, second], main)
    }

    @Test func blocksAreCountedApartFromTasks() {
        let (store, task, blocks, _) = Self.trace()
        #expect(store.taskCount == 1 && store.keptCount == 1 && store.openCount == 1)
        #expect(store.blockCount == 2 && store.keptBlockCount == 2)
        #expect(store.count(of: .succeeded) == 0)
        #expect(store.rows.map { store[$0].id } == [task])
        #expect(store.blockRows.map { store[$0].id } == blocks)
        #expect(blocks.map(\.words) == ["block 1", "block 2"])
    }

    @Test func aBlockIsAJobOfItsExecutor() throws {
        let (store, task, blocks, main) = Self.trace()
        let executor = try #require(store.executor(main))
        #expect(executor.jobs == 1 && executor.depth == 1 && executor.longestJob?.nanoseconds == 30_000_000)
        #expect(executor.longestJob?.task == blocks[0])
        #expect(executor.waits.max == 2_000_000)
        #expect(store.task(blocks[0])?.state == .succeeded && store.task(blocks[1])?.state == .queued)
        #expect(store.task(blocks[0])?.firstAntecedent == task && store.task(blocks[1])?.firstAntecedent == blocks[0])
        #expect(store.jobs.stalls.map(\.task) == [blocks[0]])
    }

    @Test func listsHaveBlocksOnlyIfAsked() {
        let (store, task, blocks, _) = Self.trace()
        func listed(_ includesBlocks: Bool, limit: Int = .max) -> [TaskID] {
            var ids: [TaskID] = []
            var after: TaskID? = TaskID.none
            while let start = after {
                after = store.forEachBlock(after: start, limit: limit, includesBlocks: includesBlocks) { block in
                    for index in 0..<block.count { ids.append(block[index].id) }
                }
            }
            return ids
        }
        #expect(listed(false) == [task])
        #expect(listed(true) == [task] + blocks)
        #expect(listed(true, limit: 1) == [task] + blocks)
    }

    @Test func anEvictedBlockIsNoEvictedTask() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        for line in 0..<20 {
            let block = trace.block("tick", on: main, line: UInt32(line + 1))
            trace.start(block, .slice, on: main)
            trace.complete(block)
        }
        let store = trace.store(retention: Retention(endedTasks: 4))
        #expect(store.blockCount == 20 && store.keptBlockCount <= 5 && store.evictedCount == 0)
        #expect(store.executor(main)?.jobs == 20)
    }
}
