package policy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/pkg/policy"
)

const (
	digits    = "0123456789"
	small     = "abcdefghijklmnopqrstuvwxyz"
	alnum     = digits + small + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	urlsafe   = alnum + "_-"
	hexdigits = "0123456789abcdef"
)

// forms are the tokens that services give out: what they begin with, and how many of which characters
// follow.
var forms = []struct {
	prefix, of string
	n          int
}{
	{"ghp_", alnum, 36}, {"gho_", alnum, 36}, {"ghu_", alnum, 36}, {"ghs_", alnum, 36}, {"ghr_", alnum, 36}, {"github_pat_", alnum + "_", 82},
	{"glpat-", urlsafe, 20}, {"gldt-", urlsafe, 20}, {"glrt-", urlsafe, 20}, {"glptt-", hexdigits, 40}, {"glsoat-", urlsafe, 20},
	{"sk-", alnum, 48}, {"sk-proj-", urlsafe, 120}, {"sk-ant-api03-", urlsafe, 93}, {"sk-or-v1-", hexdigits, 64}, {"sk_live_", alnum, 24}, {"rk_test_", alnum, 24},
	{"whsec_", alnum, 32}, {"npm_", alnum, 36}, {"pypi-AgEIcHlwaS5vcmc", urlsafe, 100}, {"rubygems_", hexdigits, 48}, {"dckr_pat_", urlsafe, 27},
	{"hf_", alnum, 34}, {"r8_", alnum, 37}, {"gsk_", alnum, 52}, {"xai-", alnum, 80}, {"nvapi-", urlsafe, 64}, {"pplx-", alnum, 48}, {"tvly-", alnum, 32},
	{"ya29.", urlsafe, 100}, {"GOCSPX-", urlsafe, 28}, {"1//0", urlsafe, 60}, {"dop_v1_", hexdigits, 64}, {"dapi", hexdigits, 32}, {"hvs.", urlsafe, 90},
	{"shpat_", hexdigits, 32}, {"sq0atp-", urlsafe, 22}, {"EAAA", urlsafe, 60}, {"lin_api_", alnum, 40}, {"ntn_", alnum, 46}, {"secret_", alnum, 43},
	{"figd_", urlsafe, 40}, {"sntryu_", hexdigits, 64}, {"tskey-auth-", alnum, 40}, {"glsa_", alnum, 32}, {"glc_", alnum, 60}, {"NRAK-", alnum, 27},
	{"PMAK-", hexdigits, 24}, {"phc_", alnum, 43}, {"pscale_tkn_", urlsafe, 43}, {"CFPAT-", urlsafe, 43}, {"ATATT3", urlsafe, 180}, {"ATBB", alnum, 32},
	{"AKIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16}, {"AIza", urlsafe, 35}, {"xoxb-123456789012-", alnum, 24}, {"xapp-1-", alnum, 40},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.", urlsafe, 43}, {"110201543:AA", urlsafe, 33}, {"SG.aaaabbbbccccdddd1111.", urlsafe, 43}, {"SK", hexdigits, 32},
	{"key-", hexdigits, 32}, {"AGE-SECRET-KEY-1", "023456789ACDEFGHJKLMNPQRSTUVWXYZ", 58},
	{"https://hooks.slack.com/services/T0000/B0000/", alnum, 24}, {"https://discord.com/api/webhooks/123456789012345678/", urlsafe, 68},
	{"postgres://ann:", urlsafe, 12}, {"https://x.example/login?password=", urlsafe, 12}, {"https://x.example/?a=b&access_token=", urlsafe, 30},
	{"Authorization: Bearer ", urlsafe, 40}, {"api_key = ", urlsafe, 40}, {"client_secret: ", urlsafe, 24},
}

// drawBody draws what services make by chance: all of the characters, letters and digits among them.
func drawBody(t *rapid.T, of string, n int) string {
	var b strings.Builder
	for i := range n {
		from := of
		switch i { // so that no draw is a word
		case n / 2:
			from = digits[2:8]
		case n/2 + 1, n/2 - 1:
			from = "abcdef"
			if !strings.Contains(of, "a") {
				from = "ABCDEF"
			}
		case 0, n - 1:
			from = strings.Trim(of, "_-")
		}
		b.WriteByte(from[rapid.IntRange(0, len(from)-1).Draw(t, "c")])
	}
	return b.String()
}

var (
	befores = []string{"", " ", "_", "__", "(", "\"", "'", "：", "卡", "key=", "\n", "the token ", "ключ ", "> ", "v2 ", "—", "\u200b\u200b", "x\u2060\u2060", "- [x] "}
	afters  = []string{"", " ", ". ", ", ", ")", "\"", "，", "\n", "\nnext", " 卡", "\u200b", "; v2", "\u202e"}
)

// Whatever surrounds a secret, in which letters it is written and what unseen stands in it: it is not
// served, and serving what is served changes nothing.
func TestNoSecretIsServed(t *testing.T) {
	p := gate(t, policy.Options{RedactSecrets: true})
	rapid.Check(t, func(t *rapid.T) {
		f := forms[rapid.IntRange(0, len(forms)-1).Draw(t, "form")]
		body := drawBody(t, f.of, f.n)
		secret := f.prefix + body
		if strings.HasPrefix(f.prefix, "postgres") {
			secret += "@db.example.com/x"
		}
		switch rapid.SampledFrom([]string{"", "", "small", "unseen", "wide"}).Draw(t, "written") {
		case "small":
			secret = strings.ToLower(secret)
		case "unseen":
			at := rapid.IntRange(1, len(secret)-1).Draw(t, "at")
			secret = secret[:at] + rapid.SampledFrom([]string{"\u200b", "\u00ad", "\u2060\u2060", "\u202e", "\ufeff", "\U000e0061", "\u2028"}).Draw(t, "unseen") + secret[at:]
		case "wide":
			secret = strings.Map(func(r rune) rune {
				if r > ' ' && r < 0x7f && strings.ContainsRune(digits, r) {
					return r - '0' + '０'
				}
				return r
			}, secret)
		}
		text := rapid.SampledFrom(befores).Draw(t, "before") + secret + rapid.SampledFrom(afters).Draw(t, "after")
		got := p.Served(t.Context(), text)
		plain := strings.ToLower(regexp.MustCompile(`\[U\+[^\]]*\]`).ReplaceAllString(got, ""))
		plain = strings.Map(func(r rune) rune {
			switch {
			case r >= '０' && r <= '９':
				return r - '０' + '0'
			case r >= 0x80:
				return -1
			}
			return r
		}, plain)
		for i := 0; i+8 <= len(body); i++ {
			if strings.Contains(plain, strings.ToLower(body[i:i+8])) {
				t.Fatalf("%q is served as %q", text, got)
			}
		}
		if again := p.Served(t.Context(), got); again != got {
			t.Fatalf("%q is served as %q, and that as %q", text, got, again)
		}
	})
}

// TestNoCardIsServed: in any groups that people write, in any digits, on one line or two.
func TestNoCardIsServed(t *testing.T) {
	p := gate(t, policy.Options{RedactSecrets: true})
	rapid.Check(t, func(t *rapid.T) {
		number := []byte("4")
		if rapid.Bool().Draw(t, "other issuer") {
			number = []byte("55")
		}
		for len(number) < 15 {
			number = append(number, digits[rapid.IntRange(0, 9).Draw(t, "digit")])
		}
		for c := byte('0'); ; c++ {
			if luhn(append(number, c)) {
				number = append(number, c)
				break
			}
		}
		sep := func() string {
			return rapid.SampledFrom([]string{" ", "-", ".", "/", "\u00a0", " - ", "\n", "–", "  "}).Draw(t, "separator")
		}
		var text strings.Builder
		zero := rapid.SampledFrom([]rune{'0', '٠', '۰', '०', '０', '𝟎'}).Draw(t, "zero")
		lines := 0
		for i, d := range number {
			if i > 0 && i%4 == 0 {
				s := sep()
				if s == "\n" {
					if lines++; lines > 1 {
						s = " "
					}
				}
				text.WriteString(s)
			}
			text.WriteRune(zero + rune(d-'0'))
		}
		whole := rapid.SampledFrom([]string{"", "card: ", "(", "卡号", "v2 ", "on 3 May "}).Draw(t, "before") + text.String() + rapid.SampledFrom([]string{"", ".", ", ok", "\n3rd", "有效"}).Draw(t, "after")
		if got := p.Served(t.Context(), whole); !strings.Contains(got, "[redacted:card-number]") || p.Served(t.Context(), got) != got {
			t.Fatalf("%q is served as %q", whole, got)
		}
	})
}

func luhn(number []byte) bool {
	sum := 0
	for i, c := range number {
		d := int(c - '0')
		if (len(number)-i)%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// Ordinary text is served as it is: the documents of this program and the texts that its tests take in,
// but for what was written into them to be redacted, and raw attachments.
func TestOrdinaryTextStays(t *testing.T) {
	planted := regexp.MustCompile(`://[^ /]*:[^ /]*@|4111 1111 1111 1111|-----BEGIN |privacy\.txtar`)
	files, bytes := 0, 0
	for _, root := range []string{"../../docs", "../../testdata", "../../README.md", "../../CONTRIBUTING.md", "../../internal/ingest", "../../internal/entity", "../resources"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(path, "mime") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil || !utf8.Valid(data) {
				return err
			}
			files, bytes = files+1, bytes+len(data)
			for line := range strings.SplitSeq(string(data), "\n\n") {
				if got := policy.Redact(line); got != line && !planted.MatchString(line) && !strings.HasSuffix(path, "privacy.txtar") {
					t.Errorf("%s: %.300q", path, got)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 || bytes < 500_000 {
		t.Errorf("only %d files with %d bytes were read", files, bytes)
	}
}

// Numbers and names as they stand in ordinary text.
func TestNoFalseAlarms(t *testing.T) {
	for _, s := range []string{
		"+4915123456789012", "+49 1512 3456789 012", "Tel. +1 (415) 555-2671, +86 138 0013 8000 0000", "tel:+4915123456789013", "0049 1512 3456789",
		"2024-01-01 2024-01-02 2024-01-03 2024-01-04", "1700000000000 1700000000001", "ISBN 978-3-16-148410-0", "9783161484100", "192.168.100.100 10.0.0.1",
		"DE89 3704 0044 0532 0130 00", "GB29 NWBK 6016 1331 9268 19", "FR14 2004 1010 0505 0001 3M02 606", "3.141592653589793 2.718281828459045",
		"4.000.000.000.000 and 5,500,000,000,000", "550e8400-e29b-41d4-a716-446655440000", "tracking 1Z999AA10123456784", "4000\n5000\n6000\n7000\n8000",
		"sk-iing-2024-in-the-alps", "disk-usage-report-2024-final", "sk-learn-tutorial-for-beginners-v2", "secret_santa_list_for_2024_v2", "npm_config_cache_min_2_default",
		"pypi-publish-action-release-v1", "hf_transformers_tutorial_part_2", "asia-pacific-region-2024", "keyboard-layout-de_CH-2024", "eaabcdefghijklmnop",
		"https://example.com/a/b?key=short&page=2", "ssh-rsa AAAAB3NzaC1yc2E", "the key is under the mat, the token ring is old", "person:asiapacificresearchgroup",
		"notifications-production-eu1.mydept.some-very-long-name-of-a-cluster-2", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	} {
		if got := policy.Redact(s); got != s {
			t.Errorf("%q is served as %q", s, got)
		}
	}
}
