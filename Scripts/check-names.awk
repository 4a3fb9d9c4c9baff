# Checks that no two types at the top level of Sources have one name, in whatever modules: a reader should know a type by its name.
#
#   awk -f Scripts/swift-lines.awk -f Scripts/check-names.awk FILES...

FILENAME !~ /^Sources\/.*\.swift$/ { next }
{ line = code($0) }
line ~ /^(@[A-Za-z]+(\([^)]*\))? )*((public|package|private|fileprivate|internal|final|open|indirect|nonisolated|distributed) )*(struct|class|enum|protocol|actor|typealias) [A-Za-z_]/ {
    sub(/^.*(struct|class|enum|protocol|actor|typealias) /, "", line)
    match(line, /^[A-Za-z0-9_]+/)
    name = substr(line, 1, RLENGTH)
    if (name in first) complain(FILENAME, FNR, "Another type is called " name ", at " first[name] ".")
    else first[name] = FILENAME ":" FNR
}
END { exit failures > 0 }
