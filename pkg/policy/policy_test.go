package policy_test

import (
	"errors"
	"testing"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

func gate(t *testing.T, o policy.Options) *policy.Policy {
	t.Helper()
	p, err := policy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		p      *policy.Policy
		access policy.Access
		want   fault.Code
	}{
		{"no policy reads", nil, policy.Read, ""},
		{"no policy never acts", nil, policy.Act, fault.Denied},
		{"readonly reads", gate(t, policy.Options{Level: policy.ReadOnly}), policy.Read, ""},
		{"readonly never acts", gate(t, policy.Options{Level: policy.ReadOnly}), policy.Act, fault.Denied},
		{"supervised acts", gate(t, policy.Options{}), policy.Act, ""},
		{"full acts", gate(t, policy.Options{Level: policy.Full}), policy.Act, ""},
		{"a forgotten access is refused", gate(t, policy.Options{Level: policy.Full}), 0, fault.Denied},
		{"denied by tool", gate(t, policy.Options{DenyTools: []string{"Memory_Search"}}), policy.Read, fault.Denied},
		{"denied by method", gate(t, policy.Options{DenyTools: []string{" openhuman.memory_tree_search "}}), policy.Read, fault.Denied},
		{"another is denied", gate(t, policy.Options{DenyTools: []string{"memory.recall"}}), policy.Read, ""},
		{"denied by a pattern", gate(t, policy.Options{DenyTools: []string{"memory.*"}}), policy.Read, fault.Denied},
		{"denied by an underscored pattern", gate(t, policy.Options{DenyTools: []string{"*_SEARC?"}}), policy.Read, fault.Denied},
		{"a pattern is for the whole name", gate(t, policy.Options{DenyTools: []string{"search", "memory", "memory.?", ""}}), policy.Read, ""},
		{"withheld", gate(t, policy.Options{Withhold: fault.New(fault.Unavailable, "No.")}), policy.Read, fault.Unavailable},
		{"withheld from acts too", gate(t, policy.Options{Level: policy.Full, Withhold: errors.New("no")}), policy.Act, fault.Internal},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.p.Check(t.Context(), c.access, "memory.search", "openhuman.memory_tree_search")
			if got := fault.CodeOf(err); got != c.want {
				t.Errorf("Check = %v (%q), want %q", err, got, c.want)
			}
		})
	}
}

func TestNew(t *testing.T) {
	if _, err := policy.New(policy.Options{Level: "anything"}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("an unknown level gives %v", err)
	}
}

func TestScope(t *testing.T) {
	var none *policy.Policy
	if s := none.Scope(t.Context()); !s.All() || s.Hides("slack:#hr") {
		t.Error("without a policy everything exists")
	}
	s := gate(t, policy.Options{DenySources: []string{"slack:#hr*", "mail:?@x"}}).Scope(t.Context())
	for id, want := range map[string]bool{
		"slack:#hr": true, "slack:#hr/private": true, "SLACK:#HR": true, "slack:#eng": false,
		"mail:a@x": true, "mail:ab@x": false, "": false, "notes:slack:#hr": false,
	} {
		if got := s.Hides(id); got != want {
			t.Errorf("Hides(%q) = %v", id, got)
		}
	}
	if s.All() {
		t.Error("a scope that hides something holds everything")
	}
}
