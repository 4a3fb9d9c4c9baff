# Only TimeSource.swift reads a clock.
#
#   awk -f Scripts/swift-lines.awk -f Scripts/check-clock.awk SWIFT-FILES...
#
# All other code gets the time as a parameter. A deadline that is passed on at once, as in `wait(timeout: .now() + …)`, is no reading,
# because no code sees the time. So is a `Date` from a file or at a distance.

FILENAME ~ /\/TimeSource\.swift$/ { next }
{ line = code($0) }
{ gsub(/(deadline|timeout): \.now\(\) \+/, "", line) }
line ~ /(Continuous|Suspending)Clock|Date(\(\)|\.now)|Dispatch(Wall)?Time\.now|\.now\(\)|systemUptime|clock_gettime|gettimeofday|timespec_get|[^A-Za-z_.]time\(nil\)/ {
    complain(FILENAME, FNR, "Only TimeSource.swift reads a clock; pass a TimeSource to this code.")
}
line ~ /TimeSource\(\)/ && FILENAME ~ /^Sources\// && FILENAME !~ /\/(Commands|[A-Za-z]*TestKit)\/|\/Hopscope\/(Flight\/)?Inspector/ {
    complain(FILENAME, FNR, "A command, or a call of the public API, makes the TimeSource; pass it to this code.")
}
END { exit failures > 0 }
