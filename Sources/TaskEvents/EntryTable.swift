import CTraceLanes

/// A task's name and the source location that created it.
package struct Label: Hashable, Sendable {
    package var name: String
    /// The file as `#fileID` spells it.
    package var file: String
    package var line: UInt32
    /// Whether the name is that of the function at the location, because the program gave none.
    package var isOfCode: Bool

    package init(name: String, file: String = "", line: UInt32 = 0, isOfCode: Bool = false) {
        self.name = name
        self.file = file
        self.line = line
        self.isOfCode = isOfCode
    }

    /// `Module/File.swift:12`; empty if the file is unknown.
    package var site: String { file.isEmpty ? "" : "\(file):\(line)" }

    /// The site, or the name if the site is unknown: tasks of one place may have different names.
    package var place: String { file.isEmpty ? name : site }

    /// The name that the program has given. Nil if it has given none.
    package var givenName: String? { isOfCode || name.isEmpty ? nil : name }

    /// The name as every screen, report and export has it: `save`, and for a task without a name of its own `handle(_:) App.swift:25`.
    package var fullName: String { isOfCode && !file.isEmpty ? "\(name) \(site)" : name }
}

/// An error as reports show it.
package struct ErrorDescription: Hashable, Sendable {
    package var type: String
    package var message: String
    /// The location that threw the error first, in the format of ``Label/site``; empty if unknown.
    package var site: String
    /// The locations that rethrew the error, in order.
    package var laterSites: [String]

    package init(type: String, message: String, site: String = "", laterSites: [String] = []) {
        self.type = type
        self.message = message
        self.site = site
        self.laterSites = laterSites
    }
}

package struct ExecutorDescription: Hashable, Sendable {
    package var name: String
    package var kind: ExecutorKind

    package init(name: String, kind: ExecutorKind) {
        self.name = name
        self.kind = kind
    }

    /// Whether the executor is main or a single actor, each of which runs one job at a time. The probe distinguishes a limited number of
    /// actors per type. Further actors share one number, and their name ends in `…`.
    package var isSerial: Bool {
        switch kind {
        case .main: true
        case .actor: !name.hasSuffix("…")
        case .immediate, .default, .queue, .operationQueue, .pool, .custom, .global, .loop: false
        }
    }
}

/// One stored entry of a trace's table. Entries refer to their texts by id.
package enum Entry: Sendable {
    case none
    case text(String)
    case label(name: EntryID, file: EntryID, line: UInt32)
    case error(type: EntryID, message: EntryID, thrownBy: EntryID)
    case executor(ExecutorID, name: EntryID, kind: ExecutorKind)
    case code(CodeKind, [AddressRecord])
    /// The code entry of each throw of one error, first throw first.
    case throwsOfError([EntryID])
    /// The routes by which events of Swift's own tasks reach the trace.
    case swiftRoutes(TraceRoutes)

    /// Decodes an entry of a region or a file; `.none` for a kind that a later version added.
    package init(_ raw: UnsafePointer<trace_entry>?, bytes: UnsafePointer<UInt8>?) {
        guard let raw = raw?.pointee else {
            self = .none
            return
        }
        switch trace_entry_kind(rawValue: raw.kind) {
        case TRACE_ENTRY_TEXT:
            self = .text(String(decoding: UnsafeBufferPointer(start: bytes, count: Int(raw.length)), as: UTF8.self))
        case TRACE_ENTRY_LABEL:
            self = .label(name: EntryID(rawValue: raw.a), file: EntryID(rawValue: raw.b), line: raw.c)
        case TRACE_ENTRY_ERROR:
            self = .error(type: EntryID(rawValue: raw.a), message: EntryID(rawValue: raw.b), thrownBy: EntryID(rawValue: raw.c))
        case TRACE_ENTRY_EXECUTOR:
            let kind = ExecutorKind(rawValue: UInt8(truncatingIfNeeded: raw.c)) ?? .custom
            self = .executor(ExecutorID(rawValue: UInt16(truncatingIfNeeded: raw.a)), name: EntryID(rawValue: raw.b), kind: kind)
        case TRACE_ENTRY_CODE:
            let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(raw.length))
            self = .code(CodeKind(rawValue: raw.a) ?? .calls, AddressRecord.all(in: bytes))
        case TRACE_ENTRY_THROWS:
            self = .throwsOfError(EntryID.all(in: UnsafeRawBufferPointer(start: bytes, count: Int(raw.length))))
        case TRACE_ENTRY_SWIFT_ROUTES:
            self = .swiftRoutes(TraceRoutes(rawValue: raw.a))
        default:
            self = .none
        }
    }
}

/// A reader's copy of a trace's names, call sites, errors and executors. It only grows.
package struct EntryTable: Sendable {
    private(set) var entries: [Entry] = []
    /// The symbols found so far, by place.
    package internal(set) var symbols: [CodeAddress: CodeSymbol] = [:]
    private var executors: [ExecutorID: ExecutorDescription] = [:]
    /// The source files by their names; nil for a name that several files have.
    var sourceFiles: [String: SourceFile?] = [:]
    /// The place of each task name; nil for a name of tasks from several places.
    private var sitesOfNames: [String: String?] = [:]
    package internal(set) var bodies = TaskBodies()
    /// The owner of each entry's code.
    private var owners: [CodeOwner] = []
    /// Whether any entry's code is a library's.
    package private(set) var hasLibraries = false
    /// The routes by which events of Swift's own tasks reach the trace. All of them until an entry says otherwise; later entries can only
    /// remove routes, and mark the trace as sampled.
    package private(set) var swiftRoutes = TraceRoutes.all

    package init() {}

    package var count: UInt32 { UInt32(entries.count) }

    package mutating func append(_ entry: Entry) {
        entries.append(entry)
        noteOwner(of: entry)
        switch entry {
        case .executor(let id, let name, let kind): executors[id] = ExecutorDescription(name: text(name), kind: kind)
        case .label: noteName(of: EntryID(rawValue: count - 1))
        case .swiftRoutes(let routes):
            let sampled = swiftRoutes.union(routes).intersection(.sampled)
            swiftRoutes = swiftRoutes.intersection(routes).union(sampled)
        case .none, .text, .error, .code, .throwsOfError: break
        }
    }

    /// The stored entry; `.none` for an id that is not in the table.
    package subscript(_ id: EntryID) -> Entry {
        id.rawValue < count ? entries[Int(id.rawValue)] : .none
    }

    package func text(_ id: EntryID) -> String {
        guard case .text(let text) = self[id] else { return "" }
        return text
    }

    /// The label; nil if `id` is no label, or not yet in the table.
    package func label(_ id: EntryID) -> Label? {
        guard case .label(let name, let file, let line) = self[id] else { return nil }
        if file == .none || isCode(file) {
            var label = label(name: name, code: file)
            if let function = bodies.functions[id] { label?.name = function }
            return label
        }
        return Label(name: text(name), file: text(file), line: line)
    }

    /// The label of a task: its own, or, of a task that is called after the handler that it runs, the handler's.
    package func label(ofTask id: EntryID) -> Label? { isCode(id) ? label(ofHandler: id) : label(id) }

    package func error(_ id: EntryID) -> ErrorDescription? {
        guard case .error(let type, let message, let code) = self[id] else { return nil }
        let sites = throwCodes(of: code).map { symbol(ofCall: $0)?.site ?? "" }
        return ErrorDescription(
            type: text(type), message: text(message), site: sites.first ?? "", laterSites: sites.dropFirst().filter { !$0.isEmpty })
    }

    /// The number of throws of an error in the trace, including the first. Looks up no text.
    package func throwCount(of error: EntryID) -> Int {
        guard case .error(_, _, let code) = self[error], code != .none else { return 0 }
        guard case .throwsOfError(let codes) = self[code] else { return 1 }
        return codes.count
    }

    /// The location of a throw, in the format of ``Label/site``; empty if unknown. Throws are numbered from 0.
    package func site(ofThrow number: Int, of error: EntryID) -> String {
        guard case .error(_, _, let code) = self[error] else { return "" }
        let codes = throwCodes(of: code)
        return codes.indices.contains(number) ? symbol(ofCall: codes[number])?.site ?? "" : ""
    }

    /// The calls of the first throw of an error; `.none` if the trace does not have them.
    package func callsOfFirstThrow(of error: EntryID) -> EntryID {
        guard case .error(_, _, let code) = self[error] else { return .none }
        return throwCodes(of: code).first ?? .none
    }

    /// The function that threw an error first. Nil if unknown.
    package func function(ofError error: EntryID) -> String? {
        guard case .error(_, _, let code) = self[error] else { return nil }
        return throwCodes(of: code).first.flatMap { symbol(ofCall: $0) }?.function
    }

    package func executor(_ id: ExecutorID) -> ExecutorDescription? {
        executors[id]
    }

    // MARK: Names of several places

    /// Whether tasks from different places have this name.
    package func isShared(_ name: String) -> Bool {
        sitesOfNames[name] == .some(.none)
    }

    private mutating func noteName(of id: EntryID) {
        guard let label = label(id), !label.file.isEmpty, !label.isOfCode else { return }
        if let site = sitesOfNames[label.name], site != label.site {
            sitesOfNames[label.name] = .some(.none)
        } else {
            sitesOfNames[label.name] = label.site
        }
    }

    /// Looks at all names again, after symbols gave some of them.
    mutating func noteNames() {
        sitesOfNames = [:]
        for number in 0..<count { noteName(of: EntryID(rawValue: number)) }
    }

    // MARK: Owners of code

    /// The owner of the code that an entry stands for.
    package func owner(of id: EntryID) -> CodeOwner { id.rawValue < count ? owners[Int(id.rawValue)] : .unknown }

    private mutating func noteOwner(of entry: Entry) {
        owners.append(owner(of: entry))
        if owners.last == .library { hasLibraries = true }
    }

    /// Looks at all code again, after symbols gave some of its names.
    mutating func noteOwners() {
        owners.removeAll(keepingCapacity: true)
        for entry in entries { noteOwner(of: entry) }
    }
}

extension EntryTable {
    /// The routes by which events of tasks of `kind` reach the trace.
    package func routes(of kind: TaskKind) -> TraceRoutes {
        kind.isOfSwift ? swiftRoutes : .all
    }
}
