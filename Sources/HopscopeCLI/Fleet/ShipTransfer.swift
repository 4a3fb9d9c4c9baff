import CHTTPPost
import Dispatch
import Foundation
import TaskEvents
import TraceAnalysis
import TraceExport

/// Queued requests of one signal that are sent as one. The fields of an OTLP request repeat, so bodies put one after another are a body.
struct ShipParcel: Sendable {
    let endpoint: ShipEndpoints.Endpoint
    private(set) var requests: [ShipSpool.Request]
    /// In bytes.
    private(set) var size: Int

    init(_ endpoint: ShipEndpoints.Endpoint, _ request: ShipSpool.Request) {
        self.endpoint = endpoint
        requests = [request]
        size = request.size
    }

    mutating func add(_ request: ShipSpool.Request) {
        requests.append(request)
        size += request.size
    }
}

/// Sends parcels on a thread of its own, one at a time, and ends a round at the first that the collector cannot take now.
///
/// One thread calls ``send(_:)``, ``take()``, ``end(by:)`` and ``wait(until:)``.
final class ShipTransfer: Sendable {
    enum Outcome: Sendable {
        case taken(rejected: Int, message: String)
        /// The collector cannot take the requests now. `after` is the number of seconds that it names, if any.
        case later(String, after: TimeInterval?)
        /// - Parameter isAboutBody: Whether the collector may take parts of the parcel.
        case refused(String, isAboutBody: Bool)
    }

    struct Answer: Sendable {
        let requests: [ShipSpool.Request]
        /// Requests whose files cannot be read. They were not sent.
        let unreadable: [ShipSpool.Request]
        /// Nil if nothing was sent.
        let outcome: Outcome?
    }

    /// libcurl's handle. Only the queue uses it.
    private struct Client: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let time: TimeSource
    private let client: Client
    private let queue = DispatchQueue(label: "hopscope ship")
    private let round = DispatchGroup()
    private let answers = Guarded<[Answer]>([])
    /// The number of rounds that have not ended.
    private let remaining = Guarded(0)
    private let end = Guarded(TimeInterval.infinity)

    init(_ time: TimeSource) throws(UserError) {
        self.time = time
        guard let pointer = http_client_make() else {
            throw UserError("'ship' sends by libcurl, and libcurl.so.4 is not here (Debian: apt-get install libcurl4).", .cannotStart)
        }
        client = Client(pointer: pointer)
    }

    deinit {
        http_client_free(client.pointer)
    }

    /// Whether parcels are on their way.
    var isBusy: Bool { remaining.withLock { $0 } > 0 }

    /// Starts to send. No parcel takes longer than its timeout.
    func send(_ parcels: [ShipParcel]) {
        remaining.withLock { $0 += 1 }
        queue.async(group: round) { [self] in
            for parcel in parcels {
                let left = end.withLock { $0 } - time.seconds
                guard left > 0 else { break }
                let answer = post(parcel, timeout: min(parcel.endpoint.timeout, left))
                answers.withLock { $0.append(answer) }
                if case .later = answer.outcome { break }
            }
            remaining.withLock { $0 -= 1 }
        }
    }

    /// Lets no parcel begin after `moment`, in seconds since the system's start, nor end after it if it begins from now on.
    func end(by moment: TimeInterval) {
        end.withLock { $0 = moment }
    }

    /// The answers since the last call.
    func take() -> [Answer] {
        answers.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }

    /// Waits until no parcel is on its way, at most until `moment`, in seconds since the system's start.
    func wait(until moment: TimeInterval) {
        _ = round.wait(timeout: .now() + max(moment - time.seconds, 0))
    }

    private func post(_ parcel: ShipParcel, timeout: TimeInterval) -> Answer {
        var body = Data()
        var sent: [ShipSpool.Request] = []
        var unreadable: [ShipSpool.Request] = []
        for request in parcel.requests {
            if let part = request.body() {
                body.append(part)
                sent.append(request)
            } else {
                unreadable.append(request)
            }
        }
        guard !sent.isEmpty else { return Answer(requests: [], unreadable: unreadable, outcome: nil) }
        let outcome = post(body, to: parcel.endpoint, timeout: timeout)
        return Answer(requests: sent, unreadable: unreadable, outcome: outcome)
    }

    private func post(_ body: Data, to endpoint: ShipEndpoints.Endpoint, timeout: TimeInterval) -> Outcome {
        // libcurl would wait a second for the answer to an `Expect`, which few collectors give.
        var lines = ["Content-Type: application/x-protobuf", "User-Agent: hopscope", "Expect:"]
        for header in endpoint.headers { lines.append("\(header.key): \(header.value)") }
        // A line break in a value would begin a header of its own.
        lines.removeAll { $0.unicodeScalars.contains { $0.value < 0x20 } }
        let headers = lines.map { strdup($0) }
        defer { for header in headers { free(header) } }
        let named = endpoint.certificates
        let files = [named.authorities, named.own, named.key].map { $0.flatMap { strdup($0) } }
        defer { for file in files { free(file) } }
        var certificates = http_certificates(authorities: files[0], own: files[1], key: files[2])
        var answer = http_answer()
        var text = [UInt8](repeating: 0, count: HTTP_ANSWER_LIMIT)
        body.withUnsafeBytes { bytes in
            text.withUnsafeMutableBufferPointer { room in
                answer.body = room.baseAddress
                http_client_post(
                    client.pointer, endpoint.url.absoluteString, &certificates, headers.map { UnsafePointer($0) } + [nil],
                    bytes.baseAddress, bytes.count, max(Int(timeout * 1000), 1), &answer)
            }
        }
        return Self.outcome(answer, Array(text.prefix(answer.size)))
    }

    private static func outcome(_ answer: http_answer, _ text: [UInt8]) -> Outcome {
        let status = answer.status
        switch status {
        case 0:
            let failure = withUnsafeBytes(of: answer.failure) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return .later(failure.isEmpty ? "it gave no answer" : PrintableText.text(failure), after: nil)
        case 200..<300:
            let partial = ShippedAnswer(text)
            return .taken(rejected: partial.rejected, message: PrintableText.text(String(partial.message.prefix(1000))))
        case 300..<400:
            let why = "it answers \(status), a redirection, which is not followed; name the address that takes the data"
            return .refused(why, isAboutBody: false)
        case 408, 429, 502, 503, 504:
            let after = answer.retry_after
            return .later("it answers \(status)", after: after > 0 ? TimeInterval(after) : nil)
        case 401, 403, 404, 405:
            return .refused("it answers \(status)", isAboutBody: false)
        case _:
            return .refused("it answers \(status)", isAboutBody: true)
        }
    }
}
