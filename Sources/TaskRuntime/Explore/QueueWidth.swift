import Dispatch
import Foundation

/// Tells how many blocks of a queue may run at once. Dispatch tells nobody, so this reads it in the queue, where queues that it makes
/// itself prove that it stands.
enum QueueWidth {
    private static let fields = 16..<160
    private static let mostAtOnce: UInt16 = 0xff0

    /// The offset of the width in a queue; nil if nothing proves one.
    private static let offset: Int? = {
        let serial = DispatchQueue(label: "hopscope.serial"), other = DispatchQueue(label: "hopscope.other", target: serial)
        let concurrent = DispatchQueue(label: "hopscope.concurrent", attributes: .concurrent)
        return stride(from: fields.lowerBound, to: fields.upperBound, by: 2).first { offset in
            width(of: serial, at: offset) == 1 && width(of: other, at: offset) == 1 && width(of: .main, at: offset) == 1
                && width(of: concurrent, at: offset).map { $0 >= mostAtOnce } == true
        }
    }()

    /// One for a serial queue, or if it is not known.
    static func of(_ queue: DispatchQueue) -> Int {
        guard let offset, let width = width(of: queue, at: offset) else { return 1 }
        return width == 1 ? 1 : .max
    }

    static func of(_ queue: OperationQueue) -> Int {
        let count = queue.maxConcurrentOperationCount
        return count == OperationQueue.defaultMaxConcurrentOperationCount ? .max : max(1, count)
    }

    private static func width(of queue: DispatchQueue, at offset: Int) -> UInt16? {
        // The object of the C library.
        guard let wrapped = Mirror(reflecting: queue).children.first?.value as? OpaquePointer else { return nil }
        return UnsafeRawPointer(wrapped).load(fromByteOffset: offset, as: UInt16.self)
    }
}
