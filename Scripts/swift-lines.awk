# The code of a line of Swift, without comments and without the content of string literals. Shared by the checks.
# Must be called for each line in order; a file starts at FNR == 1.

function code(line) {
    if (FNR == 1) insideText = 0
    if (insideText) {
        if (!index(line, "\"\"\"")) return ""
        insideText = 0
        sub(/.*"""/, "", line)
    } else if (line ~ /^[ \t]*\/\//) {
        return ""
    }
    gsub(/\\"/, "", line)
    gsub(/#"[^#]*"#/, "\"\"", line)
    if (match(line, /"""/)) {
        insideText = 1
        line = substr(line, 1, RSTART - 1)
    }
    gsub(/"[^"]*"/, "\"\"", line)
    sub(/\/\/.*/, "", line)
    return line
}

# Prints one violation and makes the run fail.
function complain(path, line, sentence) {
    printf "%s:%d: %s\n", path, line, sentence
    failures++
}
