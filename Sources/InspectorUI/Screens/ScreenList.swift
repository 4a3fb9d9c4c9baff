/// All screens. A new one is its folder and a line here.
package enum ScreenList {
    /// Those with a tab, in the order of the tabs.
    static var tabs: [any Screen] {
        [
            TasksScreen(), GraphScreen(), ExecutorsScreen(), TimelineScreen(), FaultsScreen(), HopsScreen(), WarningsScreen(),
            OutputScreen(),
        ]
    }

    static let types: [any Screen.Type] = tabs.map { type(of: $0) }
    /// What lies over a screen.
    static let overlays: [any Screen.Type] = [DetailScreen.self, PaletteScreen.self, HelpScreen.self]

    package static let names = types.map { $0.name }
    /// Those that show what a trace says.
    package static let namesOfTraces = names.filter { $0 != OutputScreen.name }
}
