/// The command's exit statuses, beside 0 for success. 64 is also ArgumentParser's status for wrong usage.
enum ExitStatus: Int32 {
    case checkFailed = 1
    case wrongUsage = 64
    case unreadable = 65
    case noSuchFile = 66
    case cannotStart = 69
    case ownFault = 70
}
