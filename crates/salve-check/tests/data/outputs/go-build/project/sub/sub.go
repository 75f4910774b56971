package sub

import "fmt"

type Shape interface{ Area() float64 }
type Square struct{}

func Use(s Shape) {}
func Show() { fmt.Printf("%d\n", "text"); Use(Square{}) }
