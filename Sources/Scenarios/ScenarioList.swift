/// The scenarios that there are, in the order that `demo --list` shows.
package enum ScenarioList {
    package static let all: [any Scenario] = [
        Tour(),
        KinesisSuccess(),
        KinesisSubmitFails(),
        KinesisSaveFails(),
        KinesisParallel(),
        GiniValedictorian(),
        HashTree(),
        Load(),
    ]

    package static func named(_ name: String) -> (any Scenario)? {
        all.first { $0.name == name }
    }
}
