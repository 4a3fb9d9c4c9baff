import Dispatch

/// Main is late: the report is written on main, where the visits are counted.
func writeReport() {
    DispatchQueue.main.async {
        let end = DispatchTime.now() + .milliseconds(400)
        var lines = 0
        while DispatchTime.now() < end { lines &+= 1 }
    }
}
