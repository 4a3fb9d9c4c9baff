import Foundation
import TaskEvents
import Testing

@testable import CodeSymbols

@Suite struct ReadableNamesTests {
    @Test(
        "Mangled names of Swift and C++ are as readable as in a backtrace; other names stay",
        arguments: [
            ("_ZN5swift9AsyncTask3runEi", "swift::AsyncTask::run(int)"), ("_Zbroken", "_Zbroken"),
            ("pthread_cond_wait", "pthread_cond_wait"),
            ("$s4Shop5OrderC3payyyYaKFTY2_", "Order.pay()"), ("$s4Shop4mailyySi_SitYaYbKF", "mail(_:_:)"), ("$sbroken", "$sbroken"),
            ("", ""), ("$s6bridgeyScGySiGzYaXEfU_SiyYacfU_", "closure #1 in closure #1 in main"),
            ("async_Main", "main"), ("async_MainTY0_", "main"), ("async_MainTQ5_", "main"),
            (
                "$s11LoaderTests04$s11A48Tests10loadsPages4TestfMp_16df08c32065ed91a9fMu_33_C8544F59A661EAFEAB21C7A5714E9417LLyyYaYbKFTQ0_",
                "@Test loadsPages"
            ), ("$s11LoaderTests0022LoaderTestsswift_tiAIefMX13_4_6expectfMf0_", "#expect"),
        ])
    func isReadable(name: String, readable: String) {
        #expect(SwiftNames.readable(name) == readable)
    }

    @Test("The main function is called main, also if SwiftPM gave its symbol the name of the module")
    func mainFunction() throws {
        let path = try UnpreparedProgram.served.path(.debug)
        let nm = Process()
        let output = Pipe()
        nm.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        nm.arguments = ["nm", path]
        nm.standardOutput = output
        try nm.run()
        let symbols = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        nm.waitUntilExit()
        let line = try #require(symbols.split(separator: "\n").first { $0.hasSuffix(" Served_main") })
        let offset = try #require(UInt32(line.prefix { $0 != " " }, radix: 16))
        // Its beginning, and a place in it.
        for address in [offset, offset + 16] {
            let frames = Symbolizer().frames(of: [CodeAddress(module: path, offset: address)])
            #expect(frames.values.first?.last.map { $0.function == "main" && !$0.isMachinery } == true, "\(frames)")
        }
    }
}
