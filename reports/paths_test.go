package reports

import "testing"

func TestPathsOfAMachine(t *testing.T) {
	for text, want := range map[string]string{
		"data: /home/ann/trip.jsonl":             "data: …/trip.jsonl",
		`data: ["/a/b/c.jsonl", d.jsonl]`:        `data: ["…/c.jsonl", d.jsonl]`,
		`data: ["/a/my files/c d.jsonl" , /x/y]`: `data: ["…/c d.jsonl" , …/y]`,
		"data: '~/b/c/'":                         "data: '…/c'",
		"data: /a/b.jsonl@0.5+/c/d.jsonl":        "data: …/b.jsonl@0.5+…/d.jsonl",
		"train.data=/a/b":                        "train.data=…/b",
		`model: "C:\\Users\\ann\\model"`:         `model: "…/model"`,
		"model: intfloat/e5-base-v2":             "model: intfloat/e5-base-v2",
		"from: ../mine/x ./y runs/z":             "from: ../mine/x ./y runs/z",
		"url: https://example.org/a/b":           "url: https://example.org/a/b",
		"a / b, // c and 1/2":                    "a / b, // c and 1/2",
		"# of\n/srv/x\n":                         "# of\n…/x\n",
	} {
		if got := withoutRoots(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
