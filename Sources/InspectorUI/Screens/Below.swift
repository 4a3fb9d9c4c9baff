/// What an overlay learns of the layers below it.
struct Below {
    /// The input mode of the next lower layer.
    let mode: KeyMode
    let keys: KeyTable
    /// The screens that can be shown.
    let names: [ScreenName]
    /// The screens' commands without a key.
    let commands: [PaletteEntry]
}
