package execution

import "time"

// alarm is a timer that may be off. Its channel is nil then, so that a select
// never takes it.
type alarm struct {
	c     <-chan time.Time
	timer *time.Timer
	at    time.Time
}

// newAlarm returns an alarm that goes off after d, or one that is off if d is
// not positive.
func newAlarm(d time.Duration) *alarm {
	a := new(alarm)
	if d > 0 {
		a.reset(d)
	}
	return a
}

// reset lets the alarm go off after d, at once if d is not positive.
func (a *alarm) reset(d time.Duration) {
	a.stop()
	a.timer = time.NewTimer(d)
	a.c, a.at = a.timer.C, time.Now().Add(d)
}

// advance is reset, but never later than the alarm would go off anyway.
func (a *alarm) advance(d time.Duration) {
	if a.timer == nil || time.Now().Add(d).Before(a.at) {
		a.reset(d)
	}
}

func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
