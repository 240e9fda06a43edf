// Package jsontext writes JSON strings by appending.
//
// It exists for the one place where encoding costs: a command's output on its
// way into a result. encoding/json takes several times as long for it, the SDK
// applies it four times, and spends six bytes on each <, > and & that a model then reads.
//
// The package is a leaf without state; anybody may call it.
package jsontext
