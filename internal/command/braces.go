package command

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// expandBraces returns the words that one word's braces give. sh may expand
// them or not, so there, and where they give too many words, the result is one
// word that is not known.
func expandBraces(w *syntax.Word, s *scope) []word {
	if s.dialect == dialectDash || !hasBrace(w) {
		return []word{resolve(w, s)}
	}
	split := syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(&split) || !slices.ContainsFunc(split.Parts, isBraceExp) {
		return []word{resolve(w, s)}
	}
	if s.dialect == dialectSh || braceWords(split.Parts) > maxBraceWords {
		return []word{unexpanded(w, s)}
	}
	var out []word
	for each, err := range expand.BracesSeq(nil, &split) {
		if err != nil { // more words than the count above said
			return []word{unexpanded(w, s)}
		}
		resolved := resolve(each, s)
		if resolved.Known && resolved.Text == "" && !slices.ContainsFunc(each.Parts, isQuoted) {
			continue // bash drops an empty word that is not quoted
		}
		resolved.pos = s.at(w)
		out = append(out, resolved)
	}
	return out
}

// unexpanded returns a word with braces whose words are not known.
func unexpanded(w *syntax.Word, s *scope) word {
	whole := resolve(w, s)
	whole.prefix, _, _ = strings.Cut(whole.prefix, "{")
	whole.Known, whole.Glob, whole.many = false, false, true
	whole.Text = s.source(w)
	return whole
}

func isBraceExp(part syntax.WordPart) bool {
	_, ok := part.(*syntax.BraceExp)
	return ok
}

func isQuoted(part syntax.WordPart) bool {
	switch part.(type) {
	case *syntax.SglQuoted, *syntax.DblQuoted:
		return true
	}
	return false
}

// hasBrace says whether brace expansion may find something in the word.
func hasBrace(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, "{")
	})
}

// braceWords counts the words that parts give, up to just past the limit.
func braceWords(parts []syntax.WordPart) int {
	count := 1
	for _, part := range parts {
		brace, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		sum := 0
		if brace.Sequence {
			sum = sequenceWords(brace.Elems)
		} else {
			for _, elem := range brace.Elems {
				sum = min(sum+braceWords(elem.Parts), maxBraceWords+1)
			}
		}
		count = min(count*sum, maxBraceWords+1)
	}
	return count
}

// sequenceWords counts the words of {from..to} and {from..to..step}; the step
// only makes them fewer.
func sequenceWords(elems []*syntax.Word) int {
	from, err1 := strconv.ParseInt(elems[0].Lit(), 10, 32)
	to, err2 := strconv.ParseInt(elems[1].Lit(), 10, 32)
	if err1 != nil || err2 != nil {
		if len(elems[0].Lit()) != 1 || len(elems[1].Lit()) != 1 {
			return maxBraceWords + 1
		}
		from, to = int64(elems[0].Lit()[0]), int64(elems[1].Lit()[0])
	}
	return int(min(max(from-to, to-from)+1, maxBraceWords+1))
}
