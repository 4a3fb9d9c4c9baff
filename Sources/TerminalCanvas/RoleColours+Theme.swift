extension RoleColours {
    /// A role's colours in a theme.
    package static func of(_ role: Role, in theme: Theme) -> RoleColours {
        var colours = of(role)
        switch theme {
        case .automatic:
            break
        case .light:
            // The selection is light too: a foreground that is dark enough for the selection is dark enough for the terminal's background.
            if colours.background == nil {
                colours.foreground = light(role)
                colours.selected = light(role) ?? 16
            }
        case .dark:
            // A foreground that is light enough for the selection is light enough for a dark terminal's background.
            if colours.foreground != nil, colours.background == nil { colours.foreground = colours.selected }
        case .contrast:
            colours.foreground = contrast(role) ?? (colours.background == nil ? nil : colours.foreground)
            colours.selected = contrast(role) ?? 231
        case .colourBlind:
            if let distinct = colourBlind(role) {
                colours.foreground = distinct.foreground
                colours.selected = distinct.selected
            }
        }
        return colours
    }

    /// Foreground and background of the selected row.
    package static func selection(in theme: Theme) -> (foreground: UInt8, background: UInt8) {
        switch theme {
        case .automatic, .dark, .colourBlind: selection
        case .light: (16, 254)
        case .contrast: (231, 19)
        }
    }

    private static func light(_ role: Role) -> UInt8? {
        switch role {
        case .dim, .tab, .pending, .skipped: 241
        case .border, .barDim: 243
        case .columnHeader: 24
        case .key, .bar, .running, .rail0: 26
        case .filter, .queued, .rail1: 94
        case .suspended: 23
        case .succeeded, .good: 28
        case .faulted, .fault: 160
        case .cancelled: 95
        case .mainHop: 127
        case .hop: 61
        case .warning, .rail4: 130
        case .rail2: 91
        case .rail3: 30
        case .rail5: 58
        case .rail6: 98
        case .rail7: 60
        case .text, .title, .header, .tabSelected, .selection, .held: nil
        }
    }

    private static func contrast(_ role: Role) -> UInt8? {
        switch role {
        case .faulted, .fault: 203
        case .warning, .held: 220
        case .succeeded, .good: 83
        case .running, .bar: 51
        case .queued, .filter: 227
        case .mainHop: 213
        case .hop, .suspended: 123
        case .key, .columnHeader: 159
        case .tabSelected: 231
        case .rail0: 51
        case .rail1: 227
        case .rail2: 213
        case .rail3: 83
        case .rail4: 215
        case .rail5: 159
        case .rail6: 183
        case .rail7: 252
        case .text, .dim, .title, .header, .tab, .border, .selection, .pending, .cancelled, .skipped, .barDim: nil
        }
    }

    private static func colourBlind(_ role: Role) -> RoleColours? {
        switch role {
        case .faulted, .fault: RoleColours(208)
        case .warning: RoleColours(220)
        case .succeeded, .good: RoleColours(75)
        case .running: RoleColours(117)
        case .queued, .filter: RoleColours(228)
        case .mainHop: RoleColours(175)
        case .hop: RoleColours(109)
        case .suspended: RoleColours(36)
        case .cancelled: RoleColours(180)
        case .bar, .key: RoleColours(32, selected: 38)
        case .rail0: RoleColours(75)
        case .rail1: RoleColours(214)
        case .rail2: RoleColours(175)
        case .rail3: RoleColours(36)
        case .rail4: RoleColours(228)
        case .rail5: RoleColours(32, selected: 38)
        case .rail6: RoleColours(166, selected: 172)
        case .rail7: RoleColours(250)
        case .text, .dim, .title, .header, .tab, .tabSelected, .columnHeader, .border, .selection, .pending, .skipped, .barDim, .held: nil
        }
    }
}
