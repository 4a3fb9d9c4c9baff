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

    struct Request: Sendable {
        /// Later requests have greater numbers.
        let number: Int
        let signal: ShippedSignal
        /// The number of points, spans or log records in it.
        let items: Int
        /// In bytes.
        let size: Int
        fileprivate let file: URL

        /// The bytes of the request. Nil if its file is none of this user's regular files, or cannot be read. Any thread may call it.
        func body() -> Data? {
            let descriptor = open(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                status.st_size <= ShipSpool.limit
            else { return nil }
            return try? handle.readToEnd() ?? Data()
        }
    }

    /// The number of digits of a request's number in the name of its file.
    private static let digits = 12

    private let folder: URL
    private let lock: Int32
    /// The oldest comes first.
    private(set) var requests: [Request] = []
    /// The size of all files together, in bytes.
    private(set) var size = 0
    /// The number of the last request.
    private(set) var number = 0

    init(for endpoints: ShipEndpoints, environment: [String: String] = ProcessInfo.processInfo.environment) throws(UserError) {
        let name = endpoints.description.map { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" ? $0 : "_" }
        folder = URL(fileURLWithPath: KeptRecording.stateFolder(environment)).appendingPathComponent("ship/\(String(name).prefix(100))")
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw UserError("'\(folder.path)', where unsent data is kept, cannot be made: \(error.localizedDescription)", .cannotStart)
        }
        lock = open(folder.appendingPathComponent("lock").path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
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
            // The name has the form `NUMBER-SIGNAL-ITEMS.pb`. No number of more digits is from here, and sums of such could overflow.
            let parts = name.split(separator: ".").first?.split(separator: "-") ?? []
            guard name.hasSuffix(".pb"), parts.count == 3, parts[0].count == Self.digits, parts[2].count <= Self.digits,
                let number = Int(parts[0]), let signal = ShippedSignal(rawValue: String(parts[1])), let items = Int(parts[2])
            else { continue }
            self.number = max(self.number, number)
            let file = folder.appendingPathComponent(name)
            // The attributes of a symbolic link are its own.
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
                attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int
            else { continue }
            self.size += size
            requests.append(Request(number: number, signal: signal, items: items, size: size, file: file))
        }
    }

    /// Adds a request. Returns the requests that had to be dropped for it, which can include the request itself if the disk is full.
    func add(_ body: [UInt8], _ signal: ShippedSignal, items: Int) -> [Request] {
        number += 1
        let name = "\(String(UInt64(number), digits: Self.digits))-\(signal.rawValue)-\(items).pb"
        let file = folder.appendingPathComponent(name)
        let request = Request(number: number, signal: signal, items: items, size: body.count, file: file)
        var dropped: [Request] = []
        while size + body.count > Self.limit, let oldest = requests.first {
            remove(oldest)
            dropped.append(oldest)
        }
        do throws(UserError) {
            let output = try ResultOutput(file.path)
            output.write(body)
            try output.finish()
        } catch {
            return dropped + [request]
        }
        requests.append(request)
        size += body.count
        return dropped
    }

    /// Deletes a request. Returns whether it was still here.
    @discardableResult func remove(_ request: Request) -> Bool {
        guard let index = requests.firstIndex(where: { $0.number == request.number }) else { return false }
        requests.remove(at: index)
        size -= request.size
        try? FileManager.default.removeItem(at: request.file)
        return true
    }
}
