import Foundation

enum TaskCancellation {
    static let error = NSError(domain: "com.alecrim.AlecrimAsyncKit", code: NSUserCancelledError)

    /// Whether an error means a cancellation. As in the original, only its code decides.
    static func isMeant(by error: any Error) -> Bool {
        (error as NSError).code == NSUserCancelledError
    }
}
