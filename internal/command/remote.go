package command

import "strings"

// remote judges ssh after its options: it joins the words behind the host with
// blanks and gives them to the shell of the login there, or, without any, has
// that shell read standard input. Which shell that is nobody knows here.
func (a *analyser) remote(t tool, p parsed, c call, s *scope) {
	if len(p.operands) == 0 {
		return
	}
	far := s.sub()
	far.dir, far.functions = "", nil
	behind := t.options.parse(p.operands[1:], t.style) // ssh takes options behind the host, too
	if len(behind.strange) > 0 {
		a.strangeOptions(c, behind)
		return
	}
	for _, o := range behind.options {
		a.toolOption(o, c)
	}
	_, none := p.tagged("nocommand")
	switch text, ok := texts(behind.operands); {
	case none:
	case len(behind.operands) == 0:
		a.shellStdin(c.name(), dialectSh, c, far)
	case !ok:
		a.unknown(KindEvaluation, "the text that "+c.name()+" gives to the other machine's shell is known only when it runs", c.text(), c.pos)
	default:
		a.innerScript(c.name(), strings.Join(text, " "), dialectSh, c, far)
	}
}
