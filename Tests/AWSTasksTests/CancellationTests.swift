import AWSTasks
import TaskEvents
import TaskRuntime
import Testing
import TraceTestKit

@Suite(.explored) struct CancellationTests {
    @Test("A token is cancelled once and calls its observers in registration order")
    func cancel() {
        let (source, log) = (AWSCancellationTokenSource(), Log())
        for name in ["A", "B"] { source.token.registerCancellationObserver { log.write(name) } }
        #expect(!source.isCancellationRequested)
        source.cancel()
        source.cancel()
        #expect(source.isCancellationRequested && source.token.isCancellationRequested)
        #expect(log.lines == ["A", "B"])
    }

    @Test("An observer may read the token; observers that it registers are not called")
    func observerUsesToken() {
        let (source, log) = (AWSCancellationTokenSource(), Log())
        let token = source.token
        token.registerCancellationObserver {
            log.write("cancelled: \(token.isCancellationRequested)")
            token.registerCancellationObserver { log.write("late") }
        }
        source.cancel()
        #expect(log.lines == ["cancelled: true"])
    }

    @Test("An observer of an already cancelled token is not called, unlike in the original's header")
    func lateObserver() {
        let (source, log) = (AWSCancellationTokenSource(), Log())
        source.cancel()
        source.token.registerCancellationObserver { log.write("called") }
        #expect(log.lines.isEmpty)
    }

    @Test("A disposed registration is not called, and disposing it again has no effect")
    func disposeRegistration() {
        let (source, log) = (AWSCancellationTokenSource(), Log())
        let registration = source.token.registerCancellationObserver { log.write("disposed") }
        source.token.registerCancellationObserver { log.write("kept") }
        registration.dispose()
        registration.dispose()
        source.cancel()
        #expect(log.lines == ["kept"])
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let act: @Sendable (AWSCancellationTokenSource) -> Void
        let isCancelledAtOnce: Bool
        let isCancelledAfter100: Bool
        let isCancelledAfter200: Bool
    }

    static let delays = [
        Row(
            testDescription: "0: at once", act: { $0.cancel(afterDelay: 0) }, isCancelledAtOnce: true, isCancelledAfter100: true,
            isCancelledAfter200: true),
        Row(
            testDescription: "100", act: { $0.cancel(afterDelay: 100) }, isCancelledAtOnce: false, isCancelledAfter100: true,
            isCancelledAfter200: true),
        Row(
            testDescription: "100, then -1: not any more",
            act: { source in
                source.cancel(afterDelay: 100)
                source.cancel(afterDelay: -1)
            }, isCancelledAtOnce: false, isCancelledAfter100: false, isCancelledAfter200: false),
        Row(
            testDescription: "100, then 200: the second takes the first one's place",
            act: { source in
                source.cancel(afterDelay: 100)
                source.cancel(afterDelay: 200)
            }, isCancelledAtOnce: false, isCancelledAfter100: false, isCancelledAfter200: true),
        Row(
            testDescription: "cancelled, then 100",
            act: { source in
                source.cancel()
                source.cancel(afterDelay: 100)
            }, isCancelledAtOnce: true, isCancelledAfter100: true, isCancelledAfter200: true),
    ]

    @Test("A source cancels after a delay", arguments: delays)
    func cancelAfterDelay(_ row: Row) {
        let (source, timers) = (AWSCancellationTokenSource(), VirtualTimers())
        Timers.$current.withValue(timers) { row.act(source) }
        #expect(source.isCancellationRequested == row.isCancelledAtOnce)
        timers.advance(by: .milliseconds(100))
        #expect(source.isCancellationRequested == row.isCancelledAfter100)
        timers.advance(by: .milliseconds(100))
        #expect(source.isCancellationRequested == row.isCancelledAfter200)
        #expect(timers.count == 0)
    }

    @Test("A source may be disposed of twice, before and after its registrations, and its timer then does nothing")
    func dispose() {
        let (source, timers, log) = (AWSCancellationTokenSource(), VirtualTimers(), Log())
        let registrations = (0..<2).map { _ in source.token.registerCancellationObserver { log.write("called") } }
        Timers.$current.withValue(timers) { source.cancel(afterDelay: 100) }
        registrations[0].dispose()
        source.dispose()
        source.dispose()
        registrations[1].dispose()
        timers.advance(by: .milliseconds(100))
        #expect(log.lines.isEmpty)
    }

    @Test("cancel() on a disposed source ends the program")
    func cancelDisposed() async {
        endsSayingDisposed(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { disposed().cancel() })
    }

    @Test("cancel(afterDelay:) on a disposed source ends the program")
    func cancelDisposedAfterDelay() async {
        endsSayingDisposed(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { disposed().cancel(afterDelay: -2) })
    }

    @Test("Reading a disposed source ends the program")
    func askDisposedSource() async {
        endsSayingDisposed(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = disposed().isCancellationRequested
            })
    }

    @Test("Reading a disposed token ends the program")
    func askDisposedToken() async {
        endsSayingDisposed(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = disposed().token.isCancellationRequested
            })
    }

    @Test("A continuation that reads its disposed token ends the program")
    func continuationOfDisposed() async {
        endsSayingDisposed(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Task(result: nil).continueWith(block: { _ in nil }, cancellationToken: disposed().token)
            })
    }

    @Test("An observer that disposes of a later observer ends the program")
    func observerDisposesOfLater() async {
        endsSayingDisposed(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let source = AWSCancellationTokenSource()
                let later = Later()
                source.token.registerCancellationObserver { later.registration?.dispose() }
                later.registration = source.token.registerCancellationObserver {}
                source.cancel()
            })
    }

    @Test("A delay below -1 ends the program")
    func negativeDelay() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AWSCancellationTokenSource().cancel(afterDelay: -2)
        }
        #expect(errorText(result).contains("Delay must be >= -1"))
    }

    private func endsSayingDisposed(_ result: ExitTest.Result?) {
        #expect(errorText(result).contains("Object already disposed"))
    }

    /// Disposes of registrations when the observer that holds it is released.
    private final class Disposer: Sendable {
        let registrations = Guarded<[AWSCancellationTokenRegistration]>([])
        private let log: Log

        init(_ log: Log) {
            self.log = log
        }

        deinit {
            for registration in registrations.withLock({ $0 }) { registration.dispose() }
            log.write("released")
        }
    }

    @Test("The release of an observer may dispose of its own registration and of others", arguments: [false, true])
    func releaseOfAnObserver(bySource: Bool) {
        let (source, log) = (AWSCancellationTokenSource(), Log())
        func register() -> AWSCancellationTokenRegistration {
            let disposer = Disposer(log)
            let own = source.token.registerCancellationObserver { withExtendedLifetime(disposer) { log.write("own") } }
            let other = source.token.registerCancellationObserver { log.write("other") }
            disposer.registrations.withLock { $0 = [own, other] }
            return own
        }
        let registration = register()
        #expect(log.lines.isEmpty)
        if bySource { source.dispose() } else { registration.dispose() }
        #expect(log.lines == ["released"])
        guard !bySource else { return }
        source.cancel()
        #expect(log.lines == ["released"])
    }
}

private final class Later: @unchecked Sendable {
    var registration: AWSCancellationTokenRegistration?
}

private func disposed() -> AWSCancellationTokenSource {
    let source = AWSCancellationTokenSource()
    source.dispose()
    return source
}
