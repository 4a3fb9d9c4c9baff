import Foundation
import InspectorTestKit
import InspectorUI
import TerminalCanvas
import Testing

@testable import HopscopeCLI

@Suite struct UserSettingsTests {
    @Test("What is kept is what is read", arguments: Theme.allCases)
    func kept(theme: Theme) {
        var settings = InspectorSettings()
        settings.theme = theme
        settings.sort = TaskSort(column: .queued, isReversed: true)
        settings.grouping = .chain
        settings.columns = TaskColumns(order: [.name, .state, .id], hidden: [.site, .hops])
        #expect(UserSettings.settings(of: UserSettings.text(of: settings)) == settings)
    }

    @Test(
        "A file that says nothing of use changes nothing",
        arguments: ["", "theme = ", "theme = 3", "theme = \"mauve\"", "[tasks]\nsort = \"x\""])
    func useless(text: String) {
        #expect(UserSettings.settings(of: text) == InspectorSettings())
    }

    @Test("The file stands where XDG says, and its folder is made")
    func place() throws {
        let folder = try ScratchFolder()
        let settings = UserSettings(environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(settings.read() == InspectorSettings())
        var chosen = InspectorSettings()
        chosen.theme = .contrast
        settings.write(chosen)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/hopscope/config.toml"))
        #expect(settings.read() == chosen)
    }
}
