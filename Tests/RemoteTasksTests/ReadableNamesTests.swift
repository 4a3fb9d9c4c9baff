import Testing

@testable import CodeSymbols

@Suite struct ReadableNamesTests {
    @Test(
        "Mangled names of Swift and C++ are as readable as in a backtrace; other names stay",
        arguments: [
            ("_ZN5swift9AsyncTask3runEi", "swift::AsyncTask::run(int)"), ("_Zbroken", "_Zbroken"),
            ("pthread_cond_wait", "pthread_cond_wait"),
            ("$s4Shop5OrderC3payyyYaKFTY2_", "Order.pay()"), ("$sbroken", "$sbroken"), ("", ""),
        ])
    func isReadable(name: String, readable: String) {
        #expect(SwiftNames.readable(name) == readable)
    }
}
