/// One thing that the palette can do.
struct PaletteEntry: Sendable {
    var text: String
    /// The keys that do it too; empty where there are none.
    var keys = ""
    var command: Command
}
