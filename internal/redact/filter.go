package redact

// Filter replaces the secrets of one stream. It is not safe for concurrent use.
// A nil Filter replaces nothing.
type Filter struct {
	values  *valueFilter  // nil: there are no values
	formats *formatFilter // nil: formats are not looked for
}

// Filter returns a filter at the beginning of a stream; nil if there is nothing
// to hide.
func (s *Set) Filter() *Filter {
	if s == nil || s.search == nil && s.table == nil {
		return nil
	}
	f := new(Filter)
	if s.search != nil {
		f.values = newValueFilter(s.search)
	}
	if s.table != nil {
		f.formats = &formatFilter{table: s.table}
	}
	return f
}

// Write takes the next bytes of the stream and returns those that are decided,
// which may be none, or bytes of earlier writes. They are valid until the next
// call and may share the memory of p, which is not changed.
func (f *Filter) Write(p []byte) []byte {
	if f == nil {
		return p
	}
	if f.values != nil {
		p = f.values.write(p)
	}
	if f.formats != nil {
		p = f.formats.write(p)
	}
	return p
}

// End says that the stream has ended and returns what was withheld. The filter
// is then at the beginning of another stream.
func (f *Filter) End() []byte {
	if f == nil {
		return nil
	}
	var rest []byte
	if f.values != nil {
		rest = f.values.end()
	}
	if f.formats != nil {
		rest = append([]byte(nil), f.formats.write(rest)...)
		rest = append(rest, f.formats.end()...)
	}
	return rest
}

// Count is how many marks have been made.
func (f *Filter) Count() int64 {
	if f == nil {
		return 0
	}
	var n int64
	if f.values != nil {
		n += f.values.count
	}
	if f.formats != nil {
		n += f.formats.count
	}
	return n
}
