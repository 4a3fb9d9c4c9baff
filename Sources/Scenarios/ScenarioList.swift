/// All scenarios, in the order of `demo --list`.
package enum ScenarioList {
    package static let all: [any Scenario] =
        [Tour()] + awsGuide + giniGuide + swiftTaskReadme + alecrimReadme + asyncContexts + [HashTree()] + trouble

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

    package static func named(_ name: String) -> (any Scenario)? {
        all.first { $0.name == name }
    }
}
