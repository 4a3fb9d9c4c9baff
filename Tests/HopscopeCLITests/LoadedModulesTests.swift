import TaskEvents
import Testing

@testable import HopscopeCLI

@Suite struct LoadedModulesTests {
    @Test("An address belongs to the code of its file, also if the file is mapped as data below")
    func mappedTwice() {
        var modules = LoadedModules(
            maps: """
                10000-20000 r--p 00000000 fe:00 7    /lib/runtime.so
                7f0000001000-7f0000002000 r--p 00000000 fe:00 7    /lib/runtime.so
                7f0000002000-7f0000004000 r-xp 00001000 fe:00 7    /lib/runtime.so
                7f0000009000-7f000000a000 r-xp 00000000 00:00 0    [vdso]
                """)
        #expect(modules.place(of: 0x7f00_0000_2345) == CodeAddress(module: "/lib/runtime.so", offset: 0x1345))
        #expect(modules.place(of: 0x7f00_0000_9010) == CodeAddress(module: "[vdso]", offset: 0x10))
        #expect(modules.place(of: 0x7f00_0000_1234) == CodeAddress(module: "", offset: 0))
    }
}
