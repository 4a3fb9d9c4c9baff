# Checks the tests and their kit against the rules for tests.
#
#   awk -f Scripts/swift-lines.awk -f Scripts/check-tests.awk TESTS...

FNR == 1 { finish(); path = FILENAME; firstTest = 0; expects = 0 }

{ line = code($0) }

# Programs that tests run may sleep, and may have tests of XCTest.
FILENAME !~ /\/Programs\// && line ~ /(^|[^A-Za-z0-9_])(u|nano)?sleep[ \t]*\(/ {
    complain(FILENAME, FNR, "A test waits for a condition or moves virtual time; it does not sleep.")
}
line ~ /#(expect|require)\([ \t]*(Bool\([ \t]*)?true[ \t]*\)?[ \t]*[,)]/ {
    complain(FILENAME, FNR, "This expectation cannot fail.")
}
FILENAME !~ /\/Programs\// && line ~ /^[ \t]*(@[A-Za-z_]+[ \t]+)*import[ \t]+XCTest/ {
    complain(FILENAME, FNR, "Tests are written with Swift Testing, not with XCTest.")
}
!firstTest && line ~ /@Test([^A-Za-z0-9_]|$)/ { firstTest = FNR }
line ~ /#expect|#require|confirmation\(|Issue\.record\(/ { expects = 1 }

END {
    finish()
    exit failures > 0
}

function finish() {
    if (firstTest && !expects)
        complain(path, firstTest, "This file has tests and no #expect, #require or confirmation: they cannot fail.")
}
