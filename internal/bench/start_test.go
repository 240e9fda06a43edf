package bench

import (
	"os"
	"time"

	"whelk/internal/mcptest"
)

// startUp measures from the start of the server until initialize is answered,
// against the hand loop, and what the server holds then.
func startUp(l load) metrics {
	var rss []time.Duration // not times, but it is the median that counts
	start := func(name string) contestant {
		return repeat(l.n, pauseBetween, func() time.Duration {
			c := connect(l, l.path(name))
			if name == "whelk" {
				c.request("tools/list", "{}")
				rss = append(rss, time.Duration(mcptest.UsageOf(l, c.pid()).RSS))
			}
			c.end()
			return c.ready
		})
	}
	medians := contest(l.next, p50, start("handloop"), start("whelk"))
	m := against("p50", medians[0], medians[1])
	m["RSS-MB"] = megabytes(int(quantileOf(rss, p50)))
	return m
}

// binarySize is the size of the program as it is shipped.
func binarySize(l load) metrics {
	info, err := os.Stat(l.path("whelk"))
	if err != nil {
		l.Fatal(err)
	}
	return metrics{"MB": megabytes(int(info.Size()))}
}
