import AWSTasks
import Foundation
import TaskEvents
import TaskRuntime

/// A stream's errors.
enum KinesisError: Error {
    case throttled
    case streamNotFound(String)
}

/// Stands in for the AWS guide's `AWSKinesisRecorder`: saves records in a file and submits them to a stream, which is another file, over a
/// pool of connections called `net`.
final class KinesisRecorder: Sendable {
    enum Weakness: Sendable {
        case none, refusesRecords, hasNoStream
    }

    private let stage: Stage
    private let weakness: Weakness
    private let directory: Result<ScratchDirectory, any Error>
    /// The number of saved records. Its lock also serialises writers.
    private let waiting = Guarded(0)

    /// The connections, shared by all recorders.
    static let net = ChainExecutor.pool(name: "net", width: 8)

    init(_ stage: Stage, weakness: Weakness = .none) {
        self.stage = stage
        self.weakness = weakness
        directory = Result { try ScratchDirectory(in: stage.scratch) }
    }

    /// Saves a record for the stream.
    func saveRecord(_ data: Data, streamName: String, name: String = "saveRecord") -> ChainTask<Void> {
        ChainTask(on: Self.net, name: name) { [self] in try save(data, in: .milliseconds(350)) }
    }

    /// Moves the saved records to the stream; the value is their number.
    func submitAllRecords() -> ChainTask<Int> {
        ChainTask(on: Self.net, name: "submitAllRecords") { [self] in try submit() }
    }

    // MARK: The work, on the calling thread

    func save(_ data: Data, in pace: Duration) throws {
        stage.dawdle(pace)
        if weakness == .refusesRecords { throw KinesisError.throttled }
        try waiting.withLock { waiting in
            try append(data + Data("\n".utf8), to: try file("waiting"))
            waiting += 1
        }
    }

    func submit() throws -> Int {
        stage.dawdle(.milliseconds(700))
        if weakness == .hasNoStream { throw KinesisError.streamNotFound("test-stream-name") }
        return try waiting.withLock { waiting in
            try append(try Data(contentsOf: try file("waiting")), to: try file("stream"))
            try FileManager.default.removeItem(at: try file("waiting"))
            defer { waiting = 0 }
            return waiting
        }
    }

    private func file(_ name: String) throws -> URL {
        try directory.get().url.appendingPathComponent(name)
    }

    private func append(_ data: Data, to url: URL) throws {
        guard let handle = try? FileHandle(forWritingTo: url) else { return try data.write(to: url) }
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: data)
    }
}

/// A `KinesisRecorder` whose methods return `AWSTask`s, as in the SDK.
struct AWSKinesisRecorder: Sendable {
    private let recorder: KinesisRecorder
    private let pace: Duration

    /// `pace` is the time to save a record.
    init(_ stage: Stage, weakness: KinesisRecorder.Weakness = .none, pace: Duration = .milliseconds(350)) {
        recorder = KinesisRecorder(stage, weakness: weakness)
        self.pace = pace
    }

    /// Saves a record for the stream.
    func saveRecord(_ data: Data?, streamName: String, name: String = "saveRecord") -> AWSTask<AnyObject> {
        AWSTask(
            chain: ChainTask(on: KinesisRecorder.net, name: name) {
                try recorder.save(data ?? Data(), in: pace)
                return ObjectResult(nil)
            })
    }

    /// Moves the saved records to the stream; the result is their number.
    func submitAllRecords() -> AWSTask<AnyObject> {
        AWSTask(chain: ChainTask(on: KinesisRecorder.net, name: "submitAllRecords") { ObjectResult(try recorder.submit()) })
    }
}
