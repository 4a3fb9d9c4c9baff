extension RoleColours {
    /// A role's colours in a theme.
    package static func of(_ role: Role, in theme: Theme) -> RoleColours {
        var colours = of(role)
        switch theme {
        case .automatic:
            break
        case .light:
            // The selection is light too, so that what is dark enough for the terminal's background is so for that.
            if colours.background == nil { colours.selected = colours.foreground ?? 16 }
        case .dark:
            // What is light enough for the selection's background is so for a dark terminal's.
            if colours.foreground != nil, colours.background == nil { colours.foreground = colours.selected }
        case .contrast:
            colours.foreground = contrast(role) ?? (colours.background == nil ? nil : colours.foreground)
            colours.selected = contrast(role) ?? 231
        case .colourBlind:
            if let colour = colourBlind(role) {
                colours.foreground = colour
                colours.selected = colour
            }
        }
        return colours
    }

    /// Foreground and background of the selected row.
    package static func selection(in theme: Theme) -> (foreground: UInt8, background: UInt8) {
        switch theme {
        case .automatic, .dark, .colourBlind: selection
        case .light: (16, 253)
        case .contrast: (231, 19)
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

    private static func colourBlind(_ role: Role) -> UInt8? {
        switch role {
        case .faulted, .fault: 208
        case .warning: 220
        case .succeeded, .good: 75
        case .running: 117
        case .queued, .filter: 228
        case .mainHop: 175
        case .hop: 109
        case .suspended: 36
        case .cancelled: 180
        case .bar, .key: 32
        case .rail0: 75
        case .rail1: 214
        case .rail2: 175
        case .rail3: 36
        case .rail4: 228
        case .rail5: 32
        case .rail6: 166
        case .rail7: 250
        case .text, .dim, .title, .header, .tab, .tabSelected, .columnHeader, .border, .selection, .pending, .skipped, .barDim, .held: nil
        }
    }
}
