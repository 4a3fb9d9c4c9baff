# Compares every import, and Package.swift, with the table in Docs/Architecture.md.
#
#   awk -f Scripts/swift-lines.awk -f Scripts/check-imports.awk Docs/Architecture.md Package.swift SOURCES...
#
# A target may import what its row lists, what those may import in turn, and the outside modules of its own row. Its dependencies in
# Package.swift are exactly its row, and a file of the target imports or includes each of them. A row lists only targets of the rows above
# it. Tests of a target may import the target, a test kit that they depend on (a target whose name ends in TestKit), whatever these
# may import, and Testing. Tests of more than one target have a row of their own, below the rows of the targets, and may import what it
# lists. A C file may include the headers of its own target and of the targets that it may import.

BEGIN {
    table = ARGV[1]
    manifest = ARGV[2]
    split("Foundation FoundationEssentials FoundationNetworking Dispatch Synchronization Glibc Musl Darwin Testing Swift _Concurrency", words, " ")
    # A module that a test compiles in the place of a part of Swift's library.
    inToolchain["LaterRuntime"] = 1
    for (i in words) inToolchain[words[i]] = 1
    outside["*", "Testing"] = 0
}

FILENAME == table { readTable($0); next }
FILENAME == manifest { readManifest($0); next }
FNR == 1 && !agreed { agreed = 1; compare(); locateHeaders() }
FNR == 1 { target = targetOf(FILENAME) }
target != "" && FILENAME ~ /\.swift$/ { checkImport(code($0)) }
target != "" && FILENAME ~ /\.[ch]$/ && /^[ \t]*#[ \t]*include/ { checkInclude($0) }
END {
    if (!agreed) compare()
    else findUnused()
    exit failures > 0
}

# The table: | `Target` | `Imports`... | `Outside`, `Outside`... | words |. A row without a target in backticks applies to all targets.
# An entry of the outside column may end with file names, such as `File.swift`; then only those files may import the module.

function readTable(line,    cells, groups, names, groupCount, count, g, i, name) {
    if (line ~ /^\| *Target *\|/) { inTable = 1; return }
    if (line !~ /^\|/) inTable = 0
    if (!inTable || line ~ /^\|[-| :]*$/) return
    split(line, cells, "|")
    if (backticked(cells[2], names)) {
        name = names[1]
        order[++rowCount] = name
        rowLine[name] = FNR
        count = backticked(cells[3], names)
        for (i = 1; i <= count; i++) {
            allows[name, names[i]] = 1
            imports[name] = imports[name] " " names[i]
            if (!(names[i] in rowLine) || names[i] == name)
                complain(table, FNR, name " may import " names[i] ", which has no row above it; a row may list only targets above it.")
        }
    } else {
        name = "*"
    }
    groupCount = split(cells[4], groups, ",")
    for (g = 1; g <= groupCount; g++) {
        count = backticked(groups[g], names)
        for (i = 1; i <= count && names[i] !~ /\.swift$/; i++) {
            outside[name, names[i]] = FNR
            outsiders[name] = outsiders[name] " " names[i]
            for (f = count; names[f] ~ /\.swift$/; f--) onlyIn[name, names[i]] = onlyIn[name, names[i]] " " names[f]
        }
    }
}

# Whether a path ends in one of the file names in a list.
function isAmong(path, list,    files, count, i) {
    count = split(list, files, " ")
    for (i = 1; i <= count; i++)
        if (path ~ "/" files[i] "$") return 1
    return 0
}

# Fills `names` with the words in backticks and returns how many there are.
function backticked(cell, names,    count) {
    split("", names)
    while (match(cell, /`[^`]+`/)) {
        names[++count] = substr(cell, RSTART + 1, RLENGTH - 2)
        cell = substr(cell, RSTART + RLENGTH)
    }
    return count + 0
}

# Package.swift: the text of each target's declaration, from its opening parenthesis to the one that closes it.

function readManifest(line,    opened, closed) {
    if (line ~ /^[ \t]*\/\//) return
    if (depth == 0) {
        if (line !~ /\.(target|executableTarget|systemLibrary|testTarget)\(/) return
        declaration = ""
        declared = FNR
        isTest = line ~ /\.testTarget\(/
        sub(/.*\.(target|executableTarget|systemLibrary|testTarget)\(/, "(", line)
    }
    declaration = declaration line " "
    opened = gsub(/\(/, "(", line)
    closed = gsub(/\)/, ")", line)
    depth += opened - closed
    if (depth <= 0) { depth = 0; readDeclaration(declaration) }
}

function readDeclaration(text,    name) {
    name = quotedAfter(text, "name: ")
    manifestLine[name] = declared
    tests[name] = isTest
    folder[name] = index(text, "path: ") ? quotedAfter(text, "path: ") : (isTest ? "Tests/" : "Sources/") name
    rest = text
    while (take("\\.linkedLibrary\\([^)]*\\)")) dependOutside(name, quotedAfter(taken, "("))
    rest = bracketedAfter(text, "dependencies: ")
    while (take("\\.product\\([^)]*\\)")) dependOutside(name, quotedAfter(taken, "name: "))
    while (take("\"[^\"]+\"")) {
        depends[name, quotedAfter(taken, "")] = 1
        inner[name] = inner[name] " " quotedAfter(taken, "")
    }
}

function dependOutside(name, module) {
    depends[name, module] = 1
    outer[name] = outer[name] " " module
}

# Moves the first match from `rest` to `taken`.
function take(pattern) {
    if (!match(rest, pattern)) return 0
    taken = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
    return 1
}

function quotedAfter(text, mark) {
    if (mark != "") text = substr(text, index(text, mark) + length(mark))
    match(text, /"[^"]+"/)
    return substr(text, RSTART + 1, RLENGTH - 2)
}

function bracketedAfter(text, mark,    start, position, level, character) {
    start = index(text, mark)
    if (!start) return ""
    for (position = start + length(mark); position <= length(text); position++) {
        character = substr(text, position, 1)
        if (character == "[") level++
        if (character == "]" && --level == 0) break
    }
    return substr(text, start, position - start + 1)
}

# Compares the table with Package.swift.

function compare(    i, j, name, names, count) {
    if (rowCount == 0) complain(table, 1, "The table of targets, whose first column is headed Target, is missing.")
    for (i = 1; i <= rowCount; i++) {
        name = order[i]
        if (!(name in manifestLine)) { complain(table, rowLine[name], name " is not a target of " manifest "."); continue }
        count = split(imports[name], names, " ")
        for (j = 1; j <= count; j++)
            if (!((name, names[j]) in depends) && !isInProgramsOf(name, names[j]))
                complain(manifest, manifestLine[name], name " does not depend on " names[j] ", which its row in " table " lists.")
        count = split(outsiders[name], names, " ")
        for (j = 1; j <= count; j++)
            if (!(names[j] in inToolchain) && !((name, names[j]) in depends))
                complain(manifest, manifestLine[name], name " does not depend on " names[j] ", which its row in " table " lists.")
    }
    for (name in manifestLine) {
        if (tests[name] && !(name in rowLine)) { compareTests(name); continue }
        if (!(name in rowLine)) { complain(manifest, manifestLine[name], name " has no row in " table "."); continue }
        count = split(inner[name], names, " ")
        for (j = 1; j <= count; j++)
            if (!((name, names[j]) in allows))
                complain(manifest, manifestLine[name], name " depends on " names[j] ", which its row in " table " does not list.")
        count = split(outer[name], names, " ")
        for (j = 1; j <= count; j++)
            if (!((name, names[j]) in outside))
                complain(manifest, manifestLine[name], name " depends on " names[j] ", which its row in " table " does not list.")
    }
}

# The probe is in the programs that its tests run: in the tests' own process it would tell of them.
function isInProgramsOf(name, module) {
    return name == "CConcurrencyProbeTests" && module == "CConcurrencyProbe"
}

# The probe's tests run a program whose tests are XCTest's.
function isXCTestInProgram(module) {
    return module == "XCTest" && FILENAME ~ /\/Programs\//
}

function compareTests(name,    subject, names, count, j) {
    subject = name
    sub(/Tests$/, "", subject)
    if (subject == name || !(subject in rowLine)) {
        complain(manifest, manifestLine[name], name " is not the name of a target followed by Tests; Tests mirrors Sources.")
        return
    }
    if (!((name, subject) in depends) && !isInProgramsOf(name, subject))
        complain(manifest, manifestLine[name], name " does not depend on " subject ", which it tests.")
    count = split(inner[name], names, " ")
    for (j = 1; j <= count; j++)
        if (names[j] != subject && !isTestKit(names[j]))
            complain(manifest, manifestLine[name], name " depends on " names[j] "; tests depend on their target and test kits only.")
}

# Sources.

function targetOf(path,    name) {
    if (path == "Tests/XCTMain.swift") return ""  # it is of the program that runs all tests
    for (name in folder) if (index(path, folder[name] "/") == 1) return name
    complain(path, 1, "This file is in the folder of no target of " manifest ".")
    return ""
}

function checkImport(line,    module) {
    if (line !~ /^[ \t]*((@[A-Za-z_]+(\([A-Za-z_]*\))?|public|package|internal|fileprivate|private)[ \t]+)*import[ \t]/) return
    sub(/^.*import[ \t]+((struct|class|enum|protocol|typealias|func|let|var)[ \t]+)?/, "", line)
    match(line, /^[A-Za-z_0-9]+/)
    module = substr(line, RSTART, RLENGTH)
    if (module in manifestLine) {
        uses[target, module] = 1
        if (!mayImport(target, module))
            complain(FILENAME, FNR, target " may not import " module "; " table " allows it" listed(target) ".")
        else if (!reaches(target, module))
            complain(FILENAME, FNR, target " imports " module " and does not depend on it in " manifest ".")
    } else if (!mayImportOutside(target, module) && !isXCTestInProgram(module)) {
        complain(FILENAME, FNR, target " may not import " module "; " table " allows it" listed(target) ".")
    } else if ((target, module) in onlyIn && !isAmong(FILENAME, onlyIn[target, module])) {
        complain(FILENAME, FNR, "In " target " only" onlyIn[target, module] " may import " module ".")
    }
}

function subjectOf(name) {
    sub(/Tests$/, "", name)
    return name
}

function isTestKit(name) { return name ~ /TestKit$/ }

function mayImport(name, module,    names, count, i) {
    if (name in rowLine) return closes(name, module)
    if (module == subjectOf(name) || closes(subjectOf(name), module)) return 1
    count = split(inner[name], names, " ")
    for (i = 1; i <= count; i++) if (isTestKit(names[i]) && (module == names[i] || closes(names[i], module))) return 1
    return 0
}

# Whether the rows lead from `name` to `module`.
function closes(name, module,    names, count, i) {
    if ((name, module) in allows) return 1
    count = split(imports[name], names, " ")
    for (i = 1; i <= count; i++) if (closes(names[i], module)) return 1
    return 0
}

# Whether the dependencies in Package.swift lead from `name` to `module`.
function reaches(name, module,    names, count, i) {
    if ((name, module) in depends) return 1
    count = split(inner[name], names, " ")
    for (i = 1; i <= count; i++) if (reaches(names[i], module)) return 1
    return 0
}

function mayImportOutside(name, module,    i) {
    if (("*", module) in outside) return module != "Testing" || tests[name] || isTestKit(name)
    if (name in rowLine) return (name, module) in outside
    for (i = 1; i <= rowCount; i++)
        if ((order[i], module) in outside && (order[i] == subjectOf(name) || mayImport(name, order[i]))) return 1
    return 0
}

function listed(name,    i, text) {
    for (i = 1; i <= rowCount; i++) if (mayImport(name, order[i])) text = text ", " order[i]
    if (name in rowLine) {
        split(outsiders[name] outsiders["*"], words, " ")
        for (i = 1; i in words; i++) text = text ", " words[i]
    }
    return text == "" ? " nothing" : " " substr(text, 3)
}

# A dependency that no file imports only makes a target build and link more than it needs.
function findUnused(    i, j, name, names, count) {
    for (i = 1; i <= rowCount; i++) {
        name = order[i]
        count = split(inner[name], names, " ")
        for (j = 1; j <= count; j++)
            if (!((name, names[j]) in uses))
                complain(manifest, manifestLine[name], name " depends on " names[j] ", which no file of it imports or includes.")
    }
}

# C.

function locateHeaders(    i, name) {
    for (i = 3; i < ARGC; i++)
        if (ARGV[i] ~ /\.h$/ && (name = targetOf(ARGV[i])) != "") headers[baseName(ARGV[i])] = headers[baseName(ARGV[i])] " " name
}

function baseName(path) {
    sub(/.*\//, "", path)
    return path
}

function checkInclude(line,    isQuoted, name, names, count, i) {
    if (!match(line, /[<"][^>"]+[>"]/)) return
    isQuoted = substr(line, RSTART, 1) == "\""
    name = baseName(substr(line, RSTART + 1, RLENGTH - 2))
    count = split(headers[name], names, " ")
    for (i = 1; i <= count; i++)
        if (names[i] == target || mayImport(target, names[i])) { uses[target, names[i]] = 1; return }
    if (count)
        complain(FILENAME, FNR, target " may not include " name " of " names[1] "; " table " allows it" listed(target) ".")
    else if (isQuoted)
        complain(FILENAME, FNR, "No target has a header " name "; a system header is included in angle brackets.")
    else if (name ~ /curses|^(term|panel|form|menu)\.h$/ && !((target, "ncursesw") in outside))
        complain(FILENAME, FNR, target " may not include " name "; only a target with ncursesw in its row of " table " may.")
}
