package vetme

import "fmt"

func Show() {
	é := 1; fmt.Printf("%d %s\n", é)
	fmt.Printf("%d\n", "x")
}
