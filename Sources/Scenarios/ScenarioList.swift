/// All scenarios. `demo --list` begins with those under the probe.
package enum ScenarioList {
    /// The scenarios that are programs of their own under the probe.
    package static let probed: [any Scenario] = SwiftScene.all + [tour]
    package static let tour: any Scenario = Tour.whole

    /// The scenarios that play in the process of `hopscope demo`.
    package static let all: [any Scenario] = parts.flatMap { $0 }

    private static let parts: [[any Scenario]] = [
        [Tour.guides], awsGuide, giniGuide, swiftTaskReadme, alecrimReadme, asyncContexts, [HashTree()], trouble,
    ]

    private static let awsGuide: [any Scenario] = [
        KinesisSuccess(), KinesisSubmitFails(), KinesisSaveFails(), KinesisPerMethod(), KinesisSequence(), KinesisParallel(),
        KinesisMainThread(),
    ]
    private static let giniGuide: [any Scenario] = [GiniExtractions(), GiniValedictorian(), GiniMainThread()]
    private static let swiftTaskReadme: [any Scenario] = [SwiftTaskDependent(), SwiftTaskExceptions(), SwiftTaskAll()]
    private static let alecrimReadme: [any Scenario] = [
        AlecrimBasics(), AlecrimConditions(), AlecrimExclusive(), AlecrimObservers(), AlecrimCancel(),
    ]
    private static let asyncContexts: [any Scenario] = [
        RecipesOrdering(), RecipesInvisibleError(), RecipesBackground(), RecipesStream(), RecipesBlocking(), RecipesReentrancy(),
    ]
    private static let trouble: [any Scenario] = [MainStallScenario(), HopStorm(), Deadlock(), Load()]

    package static func probed(named name: String) -> (any Scenario)? {
        probed.first { $0.name == name }
    }

    package static func named(_ name: String) -> (any Scenario)? {
        all.first { $0.name == name }
    }
}
