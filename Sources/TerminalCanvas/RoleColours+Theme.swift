extension RoleColours {
    /// A role's colours in a theme.
    package static func of(_ role: Role, in theme: Theme) -> RoleColours {
        var colours = of(role)
        switch theme {
        case .automatic, .dark: break
        case .light: colours = RoleColours(light(role), on: colours.background, isBold: colours.isBold)
        case .contrast: colours = RoleColours(contrast(role), on: colours.background, isBold: colours.isBold)
        case .colourBlind:
            if let distinct = colourBlind(role) { colours = RoleColours(distinct, on: colours.background, isBold: colours.isBold) }
        }
        if colours.background != nil { (colours.foreground, colours.selected) = (231, 231) }
        if role == .selection { colours = RoleColours(theme.selection.foreground, on: theme.selection.background) }
        if colours.selected == nil { colours.selected = theme.selection.foreground }
        return colours
    }

    private static func light(_ role: Role) -> UInt8? {
        switch role {
        case .dim, .tab, .pending, .skipped: 241
        case .border, .barDim: 243
        case .columnHeader: 24
        case .key, .bar, .running, .rail0: 26
        case .filter, .queued, .rail1: 58
        case .suspended: 23
        case .succeeded, .good: 22
        case .faulted, .fault: 124
        case .cancelled: 59
        case .mainHop: 127
        case .hop: 60
        case .warning, .rail4: 94
        case .rail2: 91
        case .rail3: 23
        case .rail5: 22
        case .rail6: 55
        case .rail7: 60
        case .text, .title, .header, .tabSelected, .selection, .held: nil
        }
    }

    private static func contrast(_ role: Role) -> UInt8? {
        switch role {
        case .faulted, .fault: 203
        case .warning: 220
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
        case .text, .dim, .title, .header, .tab, .border, .selection, .pending, .cancelled, .skipped, .barDim, .held: nil
        }
    }

    private static func colourBlind(_ role: Role) -> UInt8? {
        switch role {
        case .faulted, .fault: 208
        case .warning: 220
        case .succeeded, .good: 75
        case .running: 117
        case .queued, .filter: 228
        case .mainHop: 182
        case .hop: 109
        case .suspended: 43
        case .cancelled: 180
        case .bar, .key: 38
        case .rail0: 75
        case .rail1: 214
        case .rail2: 182
        case .rail3: 43
        case .rail4: 228
        case .rail5: 38
        case .rail6: 173
        case .rail7: 250
        case .text, .dim, .title, .header, .tab, .tabSelected, .columnHeader, .border, .selection, .pending, .skipped, .barDim, .held: nil
        }
    }
}
