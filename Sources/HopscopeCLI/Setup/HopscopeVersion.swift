/// The version of this command.
enum HopscopeVersion {
    static let text = "0.1.0"
}
