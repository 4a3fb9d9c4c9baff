import Testing

@testable import CodeSymbols

@Suite struct ReadableNamesTests {
    @Test func cxxFunctionsHaveReadableNames() {
        let names = SwiftNames.readable(["_ZN5swift9AsyncTask3runEi", "_Zbroken", "pthread_cond_wait"], by: nil)
        #expect(names == ["_ZN5swift9AsyncTask3runEi": "swift::AsyncTask::run(int)"])
    }
}
