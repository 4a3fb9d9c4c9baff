import Foundation

/// What the command's exit status says, beside 0 and ArgumentParser's 64 for wrong usage.
enum ExitStatus: Int32 {
    case noSuchFile = 66
    case cannotStart = 69
    case ownFault = 70
}

/// Something the user can mend: a whole sentence, and the status that goes with it.
struct UserError: Error {
    let sentence: String
    let status: ExitStatus

    /// Says it where errors are said.
    func say() {
        FileHandle.standardError.write(Data("hopscope: \(sentence)\n".utf8))
    }
}
