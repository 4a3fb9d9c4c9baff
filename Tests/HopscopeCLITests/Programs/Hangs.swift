// A program that hangs in the way that its argument names. The ways are in `Ways.swift`.
@main struct Hangs {
    static func main() async {
        let ways: [String: @Sendable () async -> Void] = [
            "awaitCycle": awaitCycle, "leakedContinuation": leakedContinuation, "semaphoreInTask": semaphoreInTask,
            "lockInTask": lockInTask, "openStream": openStream, "actorWaitsOnItself": actorWaitsOnItself, "endlessSleep": endlessSleep,
            "blockingRead": blockingRead, "groupOfOne": groupOfOne, "mainIsBlocked": mainIsBlocked,
            "openThrowingStream": openThrowingStream, "unreadChild": unreadChild, "locksInTurn": locksInTurn,
            "groupNeverLeft": groupNeverLeft, "conditionNeverSignalled": conditionNeverSignalled, "queueIsHeld": queueIsHeld,
            "actorIsHeld": actorIsHeld, "poolIsFull": poolIsFull, "awaitsItself": awaitsItself, "polls": polls,
            "queuesInTurn": queuesInTurn, "yields": yields, "retries": retries, "asksAgain": asksAgain, "asksAnotherTask": asksAnotherTask,
            "silentSocket": silentSocket,
        ]
        await ways[CommandLine.arguments[1]]?()
    }
}
