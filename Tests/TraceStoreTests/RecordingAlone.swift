import Testing
import TraceTestKit

/// Runs each test of a suite while no other test records, because recording affects the whole process.
struct RecordingAlone: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await EventRecording.alone { try await function() }
    }
}
