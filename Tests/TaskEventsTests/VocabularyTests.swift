import CTraceLanes
import TaskEvents
import Testing

/// The C probe writes the same words that Swift reads.
@Suite
struct VocabularyTests {
    @Test
    func eventKindsHaveTheProbesNumbers() {
        let words: [(trace_event_kind, EventKind)] = [
            (TRACE_CREATED, .created), (TRACE_ANTECEDENT, .antecedent), (TRACE_ENQUEUED, .enqueued), (TRACE_STARTED, .started),
            (TRACE_SUSPENDED, .suspended),
            (TRACE_RESUMED, .resumed), (TRACE_HOPPED, .hopped),
            (TRACE_JOB_ENDED, .jobEnded), (TRACE_COMPLETED, .completed), (TRACE_FAULTED, .faulted),
            (TRACE_CANCELLED, .cancelled), (TRACE_ERROR_READ, .errorRead), (TRACE_RELEASED, .released), (TRACE_MARK, .mark),
            (TRACE_CANCELLATION_ASKED, .cancellationAsked), (TRACE_WAIT_BEGAN, .waitBegan), (TRACE_WAIT_ENDED, .waitEnded),
            (TRACE_CANCELLATION_SEEN, .cancellationSeen), (TRACE_CHOICE, .choice), (TRACE_ADOPTED, .adopted),
            (TRACE_SHIELDED, .shielded),
        ]
        for (word, kind) in words { #expect(word.rawValue == UInt32(kind.rawValue)) }
    }

    @Test("A record's kind is the one with its raw value, and none for any other number")
    func kindsOfRecords() {
        for code in UInt8.min...UInt8.max {
            var event = TaskEvent(.mark)
            event.record.kind = code
            #expect(event.kind == EventKind(rawValue: code), "\(code)")
        }
    }

    @Test
    func detailsHaveTheProbesNumbers() {
        let words: [(UInt32, UInt8)] = [
            (TRACE_CHOICE_FIRST.rawValue, ChoiceManner.first.rawValue), (TRACE_CHOICE_INSTEAD.rawValue, ChoiceManner.instead.rawValue),
            (TRACE_CHOICE_PASSED_OVER.rawValue, ChoiceManner.passedOver.rawValue),
            (TRACE_MARK_NOTE.rawValue, MarkManner.note.rawValue), (TRACE_MARK_NAME.rawValue, MarkManner.name.rawValue),
            (TRACE_CHOICE_POSSIBLE.rawValue, ChoiceManner.possible.rawValue),
            (TRACE_TASK_ROOT.rawValue, TaskKind.root.rawValue), (TRACE_TASK_MAIN.rawValue, TaskKind.main.rawValue),
            (TRACE_TASK_ASYNC_LET.rawValue, TaskKind.asyncLet.rawValue),
            (TRACE_TASK_GROUP_CHILD.rawValue, TaskKind.groupChild.rawValue),
            (TRACE_TASK_UNSTRUCTURED.rawValue, TaskKind.unstructured.rawValue),
            (TRACE_TASK_DETACHED.rawValue, TaskKind.detached.rawValue), (TRACE_TASK_INTERNAL.rawValue, TaskKind.internal.rawValue),
            (TRACE_TASK_BLOCK.rawValue, TaskKind.block.rawValue),
            (TRACE_ANTECEDENT_AWAITED.rawValue, AntecedentRole.awaited.rawValue),
            (TRACE_START_INLINE.rawValue, StartManner.inline.rawValue), (TRACE_START_SLICE.rawValue, StartManner.slice.rawValue),
            (TRACE_SUSPENDED_AWAITING.rawValue, SuspensionReason.awaiting.rawValue),
            (TRACE_SUSPENDED_TASK.rawValue, SuspensionReason.task.rawValue),
            (TRACE_SUSPENDED_CONTINUATION.rawValue, SuspensionReason.continuation.rawValue),
            (TRACE_SUSPENDED_GROUP.rawValue, SuspensionReason.group.rawValue),
            (TRACE_SUSPENDED_EXECUTOR.rawValue, SuspensionReason.executor.rawValue),
            (TRACE_HOP_DISPATCHED.rawValue, HopManner.dispatched.rawValue), (TRACE_HOP_INLINE.rawValue, HopManner.inline.rawValue),
            (TRACE_HOP_LEFT.rawValue, HopManner.left.rawValue),
            (TRACE_FAULT_THROWN.rawValue, FaultManner.thrown.rawValue), (TRACE_FAULT_FORWARDED.rawValue, FaultManner.forwarded.rawValue),
            (TRACE_CANCELLATION_THROWN.rawValue, CancellationManner.thrown.rawValue),
            (TRACE_RELEASED_UNREFERENCED.rawValue, ReleaseManner.unreferenced.rawValue),
            (TRACE_RELEASED_BY_GROUP.rawValue, ReleaseManner.dropped.rawValue),
            (TRACE_RELEASED_TAKEN.rawValue, ReleaseManner.taken.rawValue),
            (TRACE_RELEASED_CONTINUATION.rawValue, ReleaseManner.continuation.rawValue),
            (TRACE_SHIELD_BEGAN.rawValue, ShieldManner.began.rawValue), (TRACE_SHIELD_ENDED.rawValue, ShieldManner.ended.rawValue),
            (TRACE_SHIELD_FOUND.rawValue, ShieldManner.found.rawValue),
            (TRACE_REQUEST_CALLED.rawValue, CancellationRequest.called.rawValue),
            (TRACE_REQUEST_INHERITED.rawValue, CancellationRequest.inherited.rawValue),
            (TRACE_REQUEST_AT_CREATION.rawValue, CancellationRequest.atCreation.rawValue),
            (TRACE_REQUEST_BY_SCOPE.rawValue, CancellationRequest.scope.rawValue),
            (TRACE_EXECUTOR_DEFAULT.rawValue, ExecutorKind.default.rawValue), (TRACE_EXECUTOR_MAIN.rawValue, ExecutorKind.main.rawValue),
            (TRACE_EXECUTOR_CUSTOM.rawValue, ExecutorKind.custom.rawValue), (TRACE_EXECUTOR_ACTOR.rawValue, ExecutorKind.actor.rawValue),
            (TRACE_EXECUTOR_GLOBAL.rawValue, ExecutorKind.global.rawValue),
            (TRACE_EXECUTOR_LOOP.rawValue, ExecutorKind.loop.rawValue), (TRACE_EXECUTOR_QUEUE.rawValue, ExecutorKind.queue.rawValue),
            (TRACE_EXECUTOR_POOL.rawValue, ExecutorKind.pool.rawValue),
        ]
        for (word, value) in words { #expect(word == UInt32(value)) }
    }

    @Test("Every route of the probe has a name, and no two routes have the same")
    func routes() {
        #expect(TraceRoutes.all.rawValue == TRACE_ROUTES_ALL.rawValue)
        #expect(Set(TraceRoutes.named.map(\.name)).count == TraceRoutes.named.count)
        #expect(TraceRoutes.all.names == TraceRoutes.named.map(\.name))
    }
}
