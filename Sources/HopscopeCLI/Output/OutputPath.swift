import Foundation

/// Where a command writes to: the checks of a path that all outputs share, and the sentences for outputs that cannot be written.
enum OutputPath {
    /// Throws if the path is empty, or a symbolic link that leads to no file. A file would take the link's place.
    static func check(_ path: String) throws(UserError) {
        guard !path.isEmpty else { throw UserError("The name of the file to write to is empty.", .wrongUsage) }
        var status = stat()
        guard stat(path, &status) != 0, [ENOENT, ELOOP].contains(errno) else { return }
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
        throw UserError("'\(path)' cannot be written: it is a symbolic link that leads to no file.", .noSuchFile)
    }

    /// The directory of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func cannotWrite(_ path: String, _ error: Int32) -> UserError {
        switch error {
        case ENOENT where access(folder(of: path), F_OK) == 0:
            UserError("'\(path)' cannot be written: no file can be made there.", .cannotStart)
        case ENOENT, ENOTDIR: UserError("'\(path)' cannot be written: there is no such directory.", .noSuchFile)
        case EISDIR: UserError("'\(path)' is a directory; name a file in it.", .cannotStart)
        case EROFS: UserError("'\(path)' cannot be written: the file system is read-only.", .cannotStart)
        case EACCES, EPERM: UserError("'\(path)' cannot be written: you may not write there.", .cannotStart)
        case ENOSPC: UserError("'\(path)' cannot be written: the disk is full.", .cannotStart)
        case EDQUOT: UserError("'\(path)' cannot be written: your quota of the disk is used up.", .cannotStart)
        case EFBIG: UserError("'\(path)' cannot be written: files may not become that large ('ulimit -f').", .cannotStart)
        case EBADF: UserError("'\(path)' cannot be written: it is closed.", .cannotStart)
        case EPIPE: UserError("'\(path)' cannot be written: nothing reads it any more.", .cannotStart)
        case _: UserError("'\(path)' cannot be written: \(String(cString: strerror(error)).lowercased()).", .cannotStart)
        }
    }
}
