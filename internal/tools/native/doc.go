// Package native is whelk's own tool set: the tools of mcp-yieldshell 1.1.0
// with all their parameters and fields, and additions that are all optional.
//
// It owns the words on the wire (yield_ms, since_seq, …), the schemas and
// descriptions of the tools, and the two forms of a result: readable text and
// structured JSON, each complete by itself. It decides nothing: a call is
// decoded, handed to package execution, and its answer is written down.
//
// It also serves mcp-yieldshell itself: one contract in two dialects, whose
// differences are all in dialect.go and, for the form of a result, indented.go.
//
// Words:
//
//   - dialect: whelk's own, or the seed's without any addition.
//   - fields: the answer of a call as an ordered list of names and values, from
//     which both forms are made. The order of the structured form is the
//     seed's.
//   - fault: an answer that is an error. It carries a code of package
//     execution and is isError on the wire; it is never a protocol error.
package native
