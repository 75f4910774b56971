package dep

import "github.com/nobody/nothing"

var _ = nothing.X
