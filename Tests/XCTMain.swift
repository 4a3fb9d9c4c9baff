import Testing

/// Runs the tests. SwiftPM would write this file itself, but from the compiler's index, which takes a seventh of a build.
@main struct Tests {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
