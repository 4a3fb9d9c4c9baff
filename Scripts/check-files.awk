# Checks the rules for all files: no path of a particular machine, and no source of more than 400 lines.
#
#   awk -f Scripts/swift-lines.awk -f Scripts/check-files.awk FILES...

/(^|[^A-Za-z0-9_.\/])\/(root|home|Users|work|opt\/swift)\// {
    complain(FILENAME, FNR, "This is a path of one machine.")
}
FNR == 401 && FILENAME ~ /^Sources\/.*\.(swift|c|h)$/ {
    complain(FILENAME, FNR, "A file of more than 400 lines is about more than one thing; make it two files.")
}
END { exit failures > 0 }
