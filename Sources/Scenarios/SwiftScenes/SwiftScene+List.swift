extension SwiftScene {
    /// All scenes, in the order of `demo --list`.
    package static let all = [lostError, blockedMain, awaitedRing, hotActor, hungTest]

    package static func named(_ name: String) -> SwiftScene? { all.first { $0.name == name } }
}
