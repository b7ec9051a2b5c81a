package vecimage

// Encode makes the header for tests that change it.
func (h *Header) Encode() ([]byte, error) { return h.encode() }
