package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// secrets are n values of the usual kind.
func secrets(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]string, n)
	for i := range list {
		const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		b := make([]byte, 16+random.IntN(40))
		for j := range b {
			b[j] = letters[random.IntN(len(letters))]
		}
		list[i] = fmt.Sprintf("TOKEN_%d=%s", i, b)
	}
	return list
}

// log is 64 KiB of what builds write.
func log() string {
	var b strings.Builder
	for i := 0; b.Len() < 64<<10; i++ {
		fmt.Fprintf(&b, "2026-01-02T03:04:05.678Z INFO  build/worker-%d: compiled internal/module%d/file_%d.go in %d ms\n", i%8, i%50, i, i*7%1000)
	}
	return b.String()[:64<<10]
}

func benchmark(b *testing.B, s *Set, text string) {
	f, p := s.Filter(), []byte(text)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		f.Write(p)
	}
}

func BenchmarkFilter(b *testing.B) {
	for _, n := range []int{1, 20, 50} {
		b.Run(fmt.Sprintf("%d values", n), func(b *testing.B) {
			benchmark(b, New(Options{Names: anyName}, secrets(n)), log())
		})
		b.Run(fmt.Sprintf("%d values encoded", n), func(b *testing.B) {
			benchmark(b, New(Options{Names: anyName, Encoded: true}, secrets(n)), log())
		})
	}
	b.Run("formats", func(b *testing.B) { benchmark(b, New(Options{Formats: true}, nil), log()) })
	b.Run("short values", func(b *testing.B) {
		benchmark(b, New(Options{Names: anyName}, []string{"A=password", "B=internal/m", "C=hunter2hunter2", "D=12345678"}), log())
	})
}

// BenchmarkFilterHostile writes what is almost a secret all the time.
func BenchmarkFilterHostile(b *testing.B) {
	a := strings.Repeat("a", 100)
	for name, text := range map[string]string{
		"beginnings": strings.Repeat(a[:99]+"b", 600),
		"secrets":    strings.Repeat(a+"b", 600),
		"one letter": strings.Repeat("a", 60_000),
		"web tokens": strings.Repeat("eyJ ", 15_000),
		"keys":       strings.Repeat("ghp_a", 12_000),
	} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, New(Options{Names: anyName, Encoded: true, Formats: true}, []string{"A=" + a}), text)
		})
	}
}

func BenchmarkNew(b *testing.B) {
	environ := secrets(20)
	b.ReportAllocs()
	for b.Loop() {
		New(Options{Names: anyName, Encoded: true}, environ)
	}
}
