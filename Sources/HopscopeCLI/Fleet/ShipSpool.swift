import Foundation
import Hopscope
import TextOutput
import TraceExport

/// The requests that the collector has not taken yet, each in a file in the user's state folder. The oldest is sent first.
///
/// If the files exceed ``limit``, the oldest are dropped. The next `hopscope ship` for the same collector sends the requests that an
/// earlier one left. One thread uses it.
final class ShipSpool {
    /// The maximum size of all files together, in bytes.
    static let limit = 64 << 20

    struct Request {
        let signal: ShippedSignal
        /// The number of points, spans or log records in it.
        let items: Int
        fileprivate let name: String
        fileprivate let size: Int
    }

    private let folder: URL
    private let lock: Int32
    private var requests: [Request] = []
    private var size = 0
    private var number = 0

    init(for endpoints: ShipEndpoints, environment: [String: String] = ProcessInfo.processInfo.environment) throws(UserError) {
        let name = endpoints.description.map { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" ? $0 : "_" }
        folder = URL(fileURLWithPath: KeptRecording.stateFolder(environment)).appendingPathComponent("ship/\(String(name).prefix(100))")
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw UserError("'\(folder.path)', where unsent data is kept, cannot be made: \(error.localizedDescription)", .cannotStart)
        }
        lock = open(folder.appendingPathComponent("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw UserError("Another 'hopscope ship' of this user sends to \(endpoints.description) already.", .cannotStart)
        }
        readFolder()
    }

    deinit {
        close(lock)
    }

    private func readFolder() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names.sorted() {
            // The name has the form `NUMBER-SIGNAL-ITEMS.pb`.
            let parts = name.split(separator: ".").first?.split(separator: "-") ?? []
            guard name.hasSuffix(".pb"), parts.count == 3, let number = Int(parts[0]),
                let signal = ShippedSignal(rawValue: String(parts[1])),
                let items = Int(parts[2]),
                let size = try? FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)[.size] as? Int
            else { continue }
            self.number = max(self.number, number)
            self.size += size
            requests.append(Request(signal: signal, items: items, name: name, size: size))
        }
    }

    var count: Int { requests.count }

    /// The oldest request.
    var first: Request? { requests.first }

    /// Adds a request. Returns the requests that had to be dropped for it, which can include the request itself if the disk is full.
    func add(_ body: [UInt8], _ signal: ShippedSignal, items: Int) -> [Request] {
        number += 1
        let name = "\(String(UInt64(number), digits: 12))-\(signal.rawValue)-\(items).pb"
        let request = Request(signal: signal, items: items, name: name, size: body.count)
        var dropped: [Request] = []
        while size + body.count > Self.limit, let oldest = requests.first {
            remove(oldest)
            dropped.append(oldest)
        }
        // An atomic write leaves no partial file.
        let path = folder.appendingPathComponent(name)
        do {
            try Data(body).write(to: path, options: .atomic)
        } catch {
            return dropped + [request]
        }
        requests.append(request)
        size += body.count
        return dropped
    }

    func body(of request: Request) -> Data? {
        try? Data(contentsOf: folder.appendingPathComponent(request.name))
    }

    func remove(_ request: Request) {
        guard let index = requests.firstIndex(where: { $0.name == request.name }) else { return }
        requests.remove(at: index)
        size -= request.size
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(request.name))
    }
}
