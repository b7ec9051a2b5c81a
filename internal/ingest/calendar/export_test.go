package calendar

// WindowsZones returns the table.
func WindowsZones() map[string]string { return windowsZones }
