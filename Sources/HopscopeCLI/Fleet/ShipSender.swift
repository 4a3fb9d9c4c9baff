import Foundation
import FoundationNetworking
import TaskEvents
import TraceExport

/// Sends requests to the collector, one at a time, the oldest first.
///
/// A request that the collector cannot take now is sent again, after the time that the collector names or after a pause that doubles up to
/// a minute. A request that the collector refuses is dropped and counted. The session calls the completion of a request on its own thread;
/// all other members run on one thread. No call waits for the network, except ``finish()``.
final class ShipSender {
    private enum Outcome: Sendable {
        case taken(rejected: Int, message: String)
        /// The collector cannot take the request now. `after` is the number of seconds that it names, if any.
        case later(String, after: TimeInterval?)
        case refused(String)
    }

    /// The answer to the request on its way. It arrives on a thread of the session.
    private final class Flight: Sendable {
        let outcome = Guarded<Outcome?>(nil)
    }

    private let endpoints: ShipEndpoints
    private let spool: ShipSpool
    private let session: URLSession
    private var flying: ShipSpool.Request?
    private var flight = Flight()
    private var pause: TimeInterval = 0
    private var nextTry: TimeInterval = 0

    /// Seconds since the system's start, which no clock that is set changes.
    private static var now: TimeInterval { ProcessInfo.processInfo.systemUptime }
    private var lastTold = ""
    private(set) var sentItems = 0
    private(set) var droppedItems = 0
    private var toldDrops = 0

    private static let longestPause: TimeInterval = 60

    init(_ endpoints: ShipEndpoints, _ spool: ShipSpool) {
        self.endpoints = endpoints
        self.spool = spool
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        session = URLSession(configuration: configuration)
    }

    /// Queues a request. `items` is the number of points, spans or records in it.
    func add(_ body: [UInt8], _ signal: ShippedSignal, items: Int) {
        guard endpoints[signal] != nil else { return }
        for request in spool.add(body, signal, items: items) { droppedItems += request.items }
    }

    /// Takes the answer to the last request, and sends the next one if it is time.
    func proceed() {
        if let request = flying {
            guard let outcome = flight.outcome.withLock({ $0 }) else { return }
            flying = nil
            take(outcome, of: request)
        }
        guard flying == nil, Self.now >= nextTry, let request = spool.first else { return }
        guard let endpoint = endpoints[request.signal], let body = spool.body(of: request) else {
            drop(request)
            return
        }
        send(body, to: endpoint)
        flying = request
    }

    private func send(_ body: Data, to endpoint: ShipEndpoints.Endpoint) {
        var request = URLRequest(url: endpoint.url, timeoutInterval: endpoint.timeout)
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("application/x-protobuf", forHTTPHeaderField: "Content-Type")
        request.setValue("hopscope", forHTTPHeaderField: "User-Agent")
        for header in endpoint.headers { request.setValue(header.value, forHTTPHeaderField: header.key) }
        let flight = Flight()
        self.flight = flight
        session.dataTask(with: request) { data, response, error in
            let outcome = Self.outcome(data, response as? HTTPURLResponse, error)
            flight.outcome.withLock { $0 = outcome }
        }.resume()
    }

    private static func outcome(_ data: Data?, _ response: HTTPURLResponse?, _ error: (any Error)?) -> Outcome {
        guard let response else { return .later(error?.localizedDescription ?? "it gave no answer", after: nil) }
        switch response.statusCode {
        case 200..<300:
            let partial = ShippedAnswer(Array(data ?? Data()))
            return .taken(rejected: partial.rejected, message: partial.message)
        case 408, 429, 502, 503, 504:
            let after = response.value(forHTTPHeaderField: "Retry-After").flatMap { TimeInterval($0) }
            return .later("it answers \(response.statusCode)", after: after)
        case let status:
            return .refused("it answers \(status)")
        }
    }

    private func take(_ outcome: Outcome, of request: ShipSpool.Request) {
        switch outcome {
        case .taken(let rejected, let message):
            let rejected = min(max(rejected, 0), request.items)
            sentItems += request.items - rejected
            droppedItems += rejected
            if rejected > 0 || !message.isEmpty { tell("The collector rejected \(rejected) \(request.signal): \(message)") }
            spool.remove(request)
            if pause > 0 { StandardError.say("The collector takes data again.") }
            pause = 0
            lastTold = ""
        case .later(let why, let after):
            pause = min(max(pause * 2, 1), Self.longestPause)
            nextTry = Self.now + min(max(after ?? pause, 0.1), 3600)
            tell("The collector takes no data now: \(why). It is kept and sent later.")
        case .refused(let why):
            tell("The collector refuses \(request.signal): \(why). They are dropped.")
            drop(request)
        }
    }

    private func drop(_ request: ShipSpool.Request) {
        droppedItems += request.items
        spool.remove(request)
    }

    /// Prints a sentence, unless it equals the last one.
    private func tell(_ sentence: String) {
        guard sentence != lastTold else { return }
        lastTold = sentence
        StandardError.say(sentence)
    }

    /// Prints the number of items that were dropped since the last call.
    func tellDrops() {
        guard droppedItems > toldDrops else { return }
        StandardError.say("\(droppedItems - toldDrops) points, spans and records were dropped; \(droppedItems) in all.")
        toldDrops = droppedItems
    }

    /// Sends the queued requests, for at most the time of one request, and prints the totals.
    func finish() {
        let longest = ShippedSignal.allCases.compactMap { endpoints[$0]?.timeout }.max() ?? 10
        let deadline = Self.now + longest
        nextTry = 0
        while spool.count > 0 || flying != nil, Self.now < deadline {
            proceed()
            usleep(5000)
        }
        session.invalidateAndCancel()
        tellDrops()
        let rest = spool.count > 0 ? "; \(spool.count) requests are kept for the next time" : ""
        StandardError.say("\(sentItems) points, spans and records were sent, \(droppedItems) dropped\(rest).")
    }
}
