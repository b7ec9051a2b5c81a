//go:build !unix

package stdio

import "io"

// pollable returns in as it is: the runtime cannot wait for inherited handles here.
func pollable(in io.Reader, _ io.Writer) (r io.Reader, done func()) { return in, func() {} }
