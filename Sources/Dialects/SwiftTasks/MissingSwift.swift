/// The README's `try` for Objective-C exceptions. Here it catches Swift errors.
public enum MissingSwift {
    /// Runs `body`, then `handler` if `body` threw, then `finally`.
    public static func `try`(
        _ body: () throws -> Void, catch handler: (any Error) -> Void, finally: () -> Void = {}
    ) {
        defer { finally() }
        do {
            try body()
        } catch {
            handler(error)
        }
    }
}
