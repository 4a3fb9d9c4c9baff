/// All screens. A new screen needs a folder and a line here.
package enum ScreenList {
    /// The screens with a tab, in the order of the tabs.
    static var tabs: [any Screen] {
        [
            OverviewScreen(), TasksScreen(), GraphScreen(), ExecutorsScreen(), TimelineScreen(), FaultsScreen(), HopsScreen(),
            WarningsScreen(),
            OutputScreen(), EventsScreen(),
        ]
    }

    static let types: [any Screen.Type] = tabs.map { type(of: $0) }
    /// The overlays.
    static let overlays: [any Screen.Type] = [
        DetailScreen.self, WaitScreen.self, PaletteScreen.self, HelpScreen.self, SearchScreen.self,
    ]

    package static let names = types.map { $0.name }
}
