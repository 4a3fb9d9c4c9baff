import Foundation
import TaskEvents
import TraceExport

/// Sends the queued requests to the collector, the oldest first. Requests of one signal are sent together, up to ``parcelLimit``.
///
/// A request that the collector cannot take now is sent again, after the time that the collector names or after a pause that doubles up to
/// a minute. A request that the collector refuses is dropped and counted; if it was sent with others, each is sent alone first. One thread
/// uses it, and no call waits for the network, except ``finish()``.
final class ShipSender {
    private let endpoints: ShipEndpoints
    private let spool: ShipSpool
    private let transfer: ShipTransfer
    private let time: TimeSource
    /// Requests of a parcel that the collector refused.
    private var alone: Set<Int> = []
    private var pause: TimeInterval = 0
    private var nextTry: TimeInterval = 0
    /// The number of the last request when the batch before this one was added.
    private var lastOfBatch = 0
    private var toldBacklog = 0
    private var lastReported = ""
    private(set) var sentItems = 0
    private(set) var droppedItems = 0
    private var toldDrops = 0

    private static let longestPause: TimeInterval = 60
    /// The least and the most that `Retry-After` means, in seconds.
    private static let namedPauses: ClosedRange<TimeInterval> = 1...3600
    /// The most bytes that are sent together. The OpenTelemetry collector takes 20 MiB.
    private static let parcelLimit = 1 << 20
    private static let parcelsPerRound = 16

    init(_ endpoints: ShipEndpoints, _ spool: ShipSpool, _ transfer: ShipTransfer, _ time: TimeSource) {
        self.endpoints = endpoints
        self.spool = spool
        self.transfer = transfer
        self.time = time
    }

    /// Queues a request. `items` is the number of points, spans or records in it.
    func add(_ body: [UInt8], _ signal: ShippedSignal, items: Int) {
        guard endpoints[signal] != nil else { return }
        for request in spool.add(body, signal, items: items) { droppedItems += request.items }
    }

    /// Takes the answers to the requests on their way, and sends the next ones if it is time.
    func proceed() {
        // Asked first: answers that come later are taken by the next call.
        let isBusy = transfer.isBusy
        for answer in transfer.take() {
            for request in answer.unreadable { drop(request) }
            if let outcome = answer.outcome { take(outcome, of: answer.requests) }
        }
        guard !isBusy, time.seconds >= nextTry else { return }
        let parcels = parcels()
        if !parcels.isEmpty { transfer.send(parcels) }
    }

    private func parcels() -> [ShipParcel] {
        var parcels: [ShipParcel] = []
        var open: [ShippedSignal: Int] = [:]
        for request in spool.requests {
            guard let endpoint = endpoints[request.signal] else {
                drop(request)
                continue
            }
            let isAlone = alone.contains(request.number)
            if !isAlone, let index = open[request.signal], parcels[index].size + request.size <= Self.parcelLimit {
                parcels[index].add(request)
                continue
            }
            guard parcels.count < Self.parcelsPerRound else { break }
            parcels.append(ShipParcel(endpoint, request))
            open[request.signal] = isAlone ? nil : parcels.count - 1
        }
        return parcels
    }

    private func take(_ outcome: ShipTransfer.Outcome, of requests: [ShipSpool.Request]) {
        let signal = requests[0].signal
        switch outcome {
        case .taken(let rejected, let message):
            // Requests that were dropped on their way, because the disk's share was used up, are counted already.
            let items = requests.filter { remove($0) }.reduce(0) { $0 + $1.items }
            let rejected = min(max(rejected, 0), items)
            sentItems += items - rejected
            droppedItems += rejected
            if rejected > 0 || !message.isEmpty { tell("The collector rejected \(rejected) \(signal): \(message)") }
            if pause > 0 { StandardError.say("The collector takes data again.") }
            pause = 0
            if rejected == 0, message.isEmpty { lastReported = "" }
        case .later(let why, let after):
            pause = min(max(pause * 2, 1), Self.longestPause)
            let named = after.map { min(max($0, Self.namedPauses.lowerBound), Self.namedPauses.upperBound) }
            nextTry = time.seconds + (named ?? pause)
            tell("The collector takes no data now: \(why). It is kept and sent later.")
        case .refused(_, isAboutBody: true) where requests.count > 1:
            alone.formUnion(requests.map(\.number))
        case .refused(let why, _):
            tell("The collector refuses \(signal): \(why). They are dropped.")
            for request in requests { drop(request) }
        }
    }

    private func remove(_ request: ShipSpool.Request) -> Bool {
        alone.remove(request.number)
        return spool.remove(request)
    }

    private func drop(_ request: ShipSpool.Request) {
        if remove(request) { droppedItems += request.items }
    }

    /// Prints a sentence, unless it equals the last one.
    private func tell(_ sentence: String) {
        guard sentence != lastReported else { return }
        lastReported = sentence
        StandardError.say(sentence)
    }

    /// Prints the number of items that were dropped since the last call.
    func tellDrops() {
        guard droppedItems > toldDrops else { return }
        StandardError.say("\(droppedItems - toldDrops) points, spans and records were dropped; \(droppedItems) in all.")
        toldDrops = droppedItems
    }

    /// Prints how many requests wait if some of them have waited since the last batch, and again when the number has doubled. The call
    /// comes before a batch is added.
    func tellBacklog() {
        defer { lastOfBatch = spool.number }
        guard let oldest = spool.requests.first, oldest.number <= lastOfBatch else {
            toldBacklog = 0
            return
        }
        let count = spool.requests.count
        guard count >= 2 * toldBacklog else { return }
        toldBacklog = count
        let size = (spool.size + 1023) >> 10
        StandardError.say("The collector is behind: \(count) requests (\(size) KiB) wait, some for longer than one batch.")
    }

    /// Sends the queued requests, for at most the time of one request, and prints the totals.
    func finish() {
        let longest = ShippedSignal.allCases.compactMap { endpoints[$0]?.timeout }.max() ?? 10
        let deadline = time.seconds + longest
        transfer.end(by: deadline)
        nextTry = 0
        while time.seconds < deadline {
            proceed()
            guard !spool.requests.isEmpty || transfer.isBusy else { break }
            if transfer.isBusy {
                transfer.wait(until: deadline)
            } else if time.seconds < nextTry {
                Thread.sleep(forTimeInterval: min(nextTry, deadline) - time.seconds)
            }
        }
        // A request that ran into the deadline ends now, and libcurl must not be in use when the process ends.
        transfer.wait(until: deadline + longest)
        nextTry = .infinity
        proceed()
        tellDrops()
        let rest = spool.requests.isEmpty ? "" : "; \(spool.requests.count) requests are kept for the next time"
        StandardError.say("\(sentItems) points, spans and records were sent, \(droppedItems) dropped\(rest).")
    }
}
