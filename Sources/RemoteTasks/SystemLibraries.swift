/// The libraries of the system and of the toolchain, whose functions are never the inspected program's own.
enum SystemLibraries {
    private static let beginnings = [
        "libswift", "libdispatch", "libBlocksRuntime", "libFoundation", "lib_Foundation", "lib_Internals", "libc.so", "libc-", "libpthread",
        "libm.so", "ld-linux", "libstdc++", "libgcc", "libXCTest", "libTesting",
    ]

    /// Whether a library of this file name is one of them.
    static func contain(_ name: some StringProtocol) -> Bool {
        beginnings.contains { name.hasPrefix($0) }
    }
}
