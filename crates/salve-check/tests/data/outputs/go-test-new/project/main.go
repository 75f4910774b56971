package main

import (
	"fmt"
	"os"
	"example.com/demo/sub"
)

func main() {
	é := "ü"; var n int = é
	fmt.Println(undefinedName, n)
	sub.Missing()
	fmt.Printf("%d\n", "text")
}
