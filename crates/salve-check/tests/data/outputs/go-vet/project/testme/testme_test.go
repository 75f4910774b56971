package testme

import "testing"

func TestSum(t *testing.T) {
	t.Log("noted")
	if 1+1 != 3 {
		t.Errorf("got %d, want %d", 2, 3)
	}
	t.Run("inner case", func(t *testing.T) {
		t.Fatal("inner failed\nsecond line")
	})
}

func TestFine(t *testing.T) {}

func TestPanics(t *testing.T) {
	var list []int
	_ = list[3]
}
