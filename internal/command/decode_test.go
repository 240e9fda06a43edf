package command

import "testing"

func TestANSIQuotesAreDecoded(t *testing.T) {
	tests := []struct {
		value, want string
		ok          bool
	}{
		{`rm`, "rm", true},
		{`\x72m`, "rm", true},
		{`\162\155`, "rm", true},
		{`a\'b`, "a'b", true},
		{`\\\"\?`, `\"?`, true},
		{`\n\t\e\E\a`, "\n\t\x1b\x1b\a", true},
		{`\u0072m`, "rm", true},
		{`\q`, `\q`, true},
		{`a\`, `a\`, true},
		{`\x`, "", false},
		{`\0`, "", false},
		{`a\x00b`, "", false},
		{`\ca`, "", false},
		{`\u00e9`, "", false},
		{`\1234`, "S4", true},
	}
	for _, tt := range tests {
		if got, ok := decodeANSI(tt.value); ok != tt.ok || ok && got != tt.want {
			t.Errorf("$'%s' is %q, %v, want %q, %v", tt.value, got, ok, tt.want, tt.ok)
		}
	}
}

func TestSedScriptsThatDoMoreThanEdit(t *testing.T) {
	tests := []struct {
		script string
		runs   bool
	}{
		{"p", false},
		{"1,3p;$d", false},
		{"s/a/b/gI3p", false},
		{"s,a,b,;s|x|y|", false},
		{"/a/,/b/{s/x/y/;p}", false},
		{"/[/]/d", false},
		{"s/[[:space:]]*$//", false},
		{`s/a\/b/c/`, false},
		{"y/abc/xyz/", false},
		{"a\\\ntext", false},
		{"a text; e rm", false},
		{"1i\\\n1e rm\\\n2e rm", false},
		{":a;N;$!ba;s/\\n/ /g", false},
		{"0~3d", false},
		{"/a/I,+2!d", false},
		{"\\,a,d", false},
		{"=;l 3;q 1", false},
		{"# e rm", false},
		{"n;d", false},
		{"s/a/b/;# x\np", false},
		{"e", true},
		{"1e rm", true},
		{"s/a/b/e", true},
		{"s/a/b/ge", true},
		{"s/a/b/w f", true},
		{"w f", true},
		{"r f", true},
		{"W f", true},
		{"R f", true},
		{"/x/{e rm\n}", true},
		{"p;e rm", true},
		{"p\ne rm", true},
		{"}e rm", true},
		{"$!e", true},
		{"\\,a,e rm", true},
		{"0~3e rm", true},
		{"1,+2e", true},
		{"y/a/b/;e", true},
		{":a;e rm", true},
		{"ba}s/x;e rm;/y/", true},
		{"s/[/]/b/;e rm", true},
		{"a text\ne rm", true},
		{"a\\\ntext\ne rm", true},
		{"s/a", true},
		{"k", true},
		{"s/a/b/z", true},
		{"/a", true},
		{"s/a\ne rm", true},
	}
	for _, tt := range tests {
		if got := sedRuns(tt.script); (got != "") != tt.runs {
			t.Errorf("sed %q %q, want something: %v", tt.script, got, tt.runs)
		}
	}
}

func TestAwkProgramsThatDoMoreThanCompute(t *testing.T) {
	tests := []struct {
		program string
		runs    bool
	}{
		{"{ print $1 }", false},
		{"$1 > 5", false},
		{"{ if ($1 > 5) print }", false},
		{"/a|b/ { n++ } END { print n }", false},
		{"{ print \"a | b > c\" }", false},
		{"$1 ~ /^[|>]/", false},
		{"{ print $1 / $2 }", false},
		{"{ a[$1] = $2 / 3; b = 4 / 5 }", false},
		{"a || b", false},
		{"# | rm\n{ print }", false},
		{"/[[:space:]]|x/", false},
		{"{ print a } $2 > 3", false},
		{"BEGIN { RS = \"\" }", false},
		{"!/x/ && /y/", false},
		{"{ gsub(/a/, \"b\"); print }", false},
		{"BEGIN { system(\"rm\") }", true},
		{"{ print | \"rm\" }", true},
		{"{ \"rm\" | getline }", true},
		{"{ print > \"f\" }", true},
		{"{ print >> \"f\" }", true},
		{"{ printf \"x\" > f }", true},
		{"{ print $1 |& c }", true},
		{"@load \"x\"", true},
		{"BEGIN { f = \"a\"; @f() }", true},
		{"/\"/ { print | \"rm\" } /\"/", true},
		{"{ x = a / \"b\"; print | \"rm\" } # /", true},
		{"{ print a[1] / \"b\" | \"rm\" }", true},
		{"{ print (1) / 2 }", true},
		{"/a", true},
		{"\"a", true},
		{"/[/]/", true},
		{"'", true},
	}
	for _, tt := range tests {
		if got := awkRuns(tt.program); (got != "") != tt.runs {
			t.Errorf("awk %q %q, want something: %v", tt.program, got, tt.runs)
		}
	}
}
