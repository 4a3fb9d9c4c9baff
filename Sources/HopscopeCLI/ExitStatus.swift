/// What the command's exit status says, beside 0 and ArgumentParser's 64 for wrong usage.
enum ExitStatus: Int32 {
    case checkFailed = 1
    case wrongUsage = 64
    case unreadable = 65
    case noSuchFile = 66
    case cannotStart = 69
    case ownFault = 70
}
