// Package policy decides whether an analysed command may run. It owns rules,
// the lists of allowed and denied commands, side-effect categories and the
// directories that commands are held to. It starts nothing, asks nobody and
// changes nothing; of the file system it reads names and symbolic links only.
//
// The words. An entry is one line of a list: a program, or a program with
// words ("git push"). A rule has conditions and a decision. A decision is
// allow, ask or deny, from the loosest to the strictest. An allow set is
// whatever permits commands; where there is one, a command that nothing
// permits is denied. A side effect is one of 21 categories, declared by the
// caller or detected in the command. A verdict is the strictest decision of
// all that matched.
//
// The invariants. Deny beats ask, ask beats allow, whatever their order. A
// condition of a rule that denies or asks holds if it could hold; a condition
// of a rule that allows holds only if it is certain. What the analysis could
// not tell counts as denied wherever a list or a rule is configured, unless
// the operator said otherwise. A fault in a policy is an error when it is
// loaded, never a policy that permits more. Nothing that a call brings along
// (directory, environment, shell, declared side effects) permits anything.
//
// A policy is a guard rail and not a boundary: a program that may run does
// what its own files tell it to.
//
// Every package above the analysis may call this one, from any goroutine.
package policy
