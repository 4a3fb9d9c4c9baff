extension SwiftScene {
    /// All scenes, in the order of `demo --list`.
    package static let all = [lostError, blockedMain, awaitedRing, hotActor, hungTest]
}
