//go:build unix

package harness

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// Peak returns the largest resident size of an ended process.
func Peak(st *os.ProcessState) string {
	ru, ok := st.SysUsage().(*syscall.Rusage)
	if !ok {
		return "unknown"
	}
	n := int64(ru.Maxrss)
	if runtime.GOOS != "darwin" { // which counts bytes, others kilobytes
		n *= 1024
	}
	return fmt.Sprintf("%.0f MB", float64(n)/1e6)
}
