// Goroutines that sort, format and collect garbage, in a loop without end.
package main

import (
	"fmt"
	"sort"
	"strings"
)

type words []string

func (w words) Len() int           { return len(w) }
func (w words) Less(i, j int) bool { return strings.ToUpper(w[i]) < strings.ToUpper(w[j]) }
func (w words) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }

func round(number int, out chan<- int) {
	held := make(words, 0, 60)
	for i := 0; i < 60; i++ {
		held = append(held, fmt.Sprintf("%x %v", i*number%977, float64(i)/3))
	}
	sort.Sort(held)
	out <- len(strings.Join(held, " "))
}

func main() {
	out := make(chan int)
	for number := 0; ; number++ {
		go round(number, out)
		go round(number*3, out)
		<-out
		<-out
	}
}
