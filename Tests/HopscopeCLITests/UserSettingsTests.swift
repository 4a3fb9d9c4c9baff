import Foundation
import Hopscope
import InspectorUI
import TerminalCanvas
import Testing
import TraceTestKit

@testable import HopscopeCLI

@Suite struct UserSettingsTests {
    @Test("Settings are read back as they were written", arguments: Theme.allCases)
    func kept(theme: Theme) throws {
        var settings = InspectorSettings()
        settings.theme = theme
        settings.sort = TaskSort(column: .queued, isReversed: true)
        settings.grouping = .chain
        settings.columns = TaskColumns(order: [.name, .state, .id], hidden: [.site, .hops])
        #expect(try UserSettings.settings(of: TOMLParser.table(of: UserSettings.text(of: settings))) == settings)
    }

    @Test(
        "A file without valid settings changes nothing",
        arguments: ["", "theme = 3", "theme = \"mauve\"", "[tasks]\nsort = \"x\""])
    func useless(text: String) throws {
        #expect(try UserSettings.settings(of: TOMLParser.table(of: text)) == InspectorSettings())
    }

    @Test("The file is in XDG's directory, which is created if it is missing")
    func place() throws {
        let folder = try ScratchFolder()
        let settings = UserSettings(environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(try settings.read() == InspectorSettings())
        var chosen = InspectorSettings()
        chosen.theme = .contrast
        settings.write(chosen)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/hopscope/config.toml"))
        #expect(try settings.read() == chosen)
    }

    @Test("Saving through a symbolic link keeps the link and writes its target")
    func link() throws {
        let folder = try ScratchFolder()
        try folder.write("", to: "elsewhere/real.toml")
        try folder.write("", to: "hopscope/other")
        let link = folder.path("hopscope/config.toml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../elsewhere/real.toml")
        let settings = UserSettings(environment: ["XDG_CONFIG_HOME": folder.path])
        var chosen = InspectorSettings()
        chosen.theme = .contrast
        settings.write(chosen)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../elsewhere/real.toml")
        #expect(folder.text("elsewhere/real.toml")?.contains("contrast") == true)
        #expect(try settings.read() == chosen)
    }
}
