/// The table of layers. Tabs, keys, help, footer, palette and `hopscope screen --view` are made from it.
package struct ScreenList: Sendable {
    /// Makes the screens with a tab, in the order of the tabs.
    let makeScreens: @Sendable () -> [any Layer]
    let overlays: [any Layer.Type]
    let names: [ScreenName]
    let keys: KeyTable

    init(overlays: [any Layer.Type], screens: @escaping @Sendable () -> [any Layer]) {
        makeScreens = screens
        self.overlays = overlays
        let types = screens().map { type(of: $0) as any Layer.Type }
        names = types.map { $0.name }
        keys = KeyTable(
            screens: names, keysOfScreens: types.flatMap { $0.keysEverywhere }, keysOfOverlays: overlays.flatMap { $0.keysEverywhere },
            modes: (types + overlays).flatMap { $0.modes })
    }

    /// All layers of the inspector. A new layer needs a folder and a line here.
    static let standard = ScreenList(
        overlays: [
            DetailScreen.self, WaitScreen.self, PathScreen.self, StuckScreen.self, CancellationsScreen.self, SearchScreen.self,
            PaletteScreen.self, HelpScreen.self, LeaveScreen.self,
        ]
    ) {
        [
            OverviewScreen(), TasksScreen(), GraphScreen(), ExecutorsScreen(), TimelineScreen(), FaultsScreen(), HopsScreen(),
            WarningsScreen(), OutputScreen(), EventsScreen(), ProfileScreen(), TapeScreen(),
        ]
    }

    package static let names = standard.names
}
