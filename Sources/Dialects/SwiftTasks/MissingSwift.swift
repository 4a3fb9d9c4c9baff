/// The README's `try` for code that throws in Objective-C's way. Here it is Swift's errors that are thrown and caught.
public enum MissingSwift {
    /// Runs `body`, then `handler` if it threw, then `finally` in any case.
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
