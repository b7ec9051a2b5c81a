package policy_test

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/pkg/policy"
)

// The secrets here are made up; they are put together so that nobody's scanner takes them for real.
func join(parts ...string) string { return strings.Join(parts, "") }

const (
	low20  = "a1b2c3d4e5f6g7h8i9j0"
	hex32  = "0123456789abcdef0123456789abcdef"
	base64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
)

func lines(n int) string { return strings.Repeat(base64+"\n", n) }

func TestRedact(t *testing.T) {
	const key, token, pass, card = "[redacted:private-key]", "[redacted:api-token]", "[redacted:password]", "[redacted:card-number]"
	for _, c := range []struct{ name, in, want string }{
		{"private key", "before\n-----BEGIN RSA PRIVATE KEY-----\n" + lines(3) + "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3\n-----END RSA PRIVATE KEY-----\nafter", "before\n" + key + "\nafter"},
		{"encrypted key", "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n" + lines(2) + "-----END EC PRIVATE KEY-----", key},
		{"OpenSSH key", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + lines(4) + "-----END OPENSSH PRIVATE KEY-----\n", key + "\n"},
		{"PGP key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: X 1\n\n" + lines(2) + "abcd\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----", key},
		{"key on one line", `{"k": "-----BEGIN PRIVATE KEY-----\n` + base64 + `\n` + base64 + `\n-----END PRIVATE KEY-----\n"}`, `{"k": "` + key + `\n"}`},
		{"quoted key", "> -----BEGIN PRIVATE KEY-----\n> " + base64 + "\n> " + base64 + "\n> -----END PRIVATE KEY-----\n> ok", "> " + key + "\n> ok"},
		{"beginning of a key", "Here it is: -----BEGIN PRIVATE KEY-----\n" + lines(3), "Here it is: " + key + "\n"},
		{"end of a key", lines(3) + "MzEfYyjiWA4R4=\n-----END PRIVATE KEY-----\nThe rest", key + "\nThe rest"},
		{"middle of a key", lines(6), key + "\n"},
		{"middle of a key and words", "a\n" + lines(2) + "words", "a\n" + key + "\nwords"},
		{"talk about keys", "It begins with -----BEGIN PRIVATE KEY----- and goes on for many lines of text.", "It begins with -----BEGIN PRIVATE KEY----- and goes on for many lines of text."},
		{"a certificate is public", "-----BEGIN CERTIFICATE-----\n" + lines(3) + "-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n" + lines(3) + "-----END CERTIFICATE-----"},
		{"PuTTY", "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n" + lines(2) + "Private-MAC: x", "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n" + key + "\nPrivate-MAC: x"},
		{"age", join("AGE-SECRET-", "KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"), key},
		{"WireGuard", "PrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=", "PrivateKey = " + key},

		{"GitHub", join("token gh", "p_", low20, low20, " here"), "token " + token + " here"},
		{"GitHub, fine-grained", join("github", "_pat_11ABCDEFG0", low20, "_", low20), token},
		{"GitLab", join("gl", "pat-", low20), token},
		{"OpenAI", join("export OPENAI_API_KEY=sk", "-proj-", low20, low20), "export OPENAI_API_KEY=" + token},
		{"Anthropic", join("x-api-key: sk", "-ant-api03-", low20, low20), "x-api-key: " + token},
		{"AWS", join("AK", "IAIOSFODNN7EXAMPLE"), token},
		{"AWS secret", join("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"), "aws_secret_access_key = " + token},
		{"Google", join("AI", "zaSyA1234567890abcdefghijklmnopqrstuvw"), token},
		{"Slack", join("xo", "xb-123456789012-123456789012-", low20), token},
		{"Slack hook", join("https://hooks.slack.com/services/", "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"), "https://hooks.slack.com/services/" + token},
		{"Stripe", join("sk_", "live_", low20), token},
		{"npm", join("//npm.example.org/:_authToken=npm", "_", low20, "abcdefghijklmnop"), "//npm.example.org/:_authToken=" + token},
		{"PyPI", join("py", "pi-AgEIcHlwaS5vcmc", low20, low20), token},
		{"Hugging Face", join("hf", "_", low20, low20), token},
		{"SendGrid", join("S", "G.", low20, ".", low20, low20), token},
		{"Telegram", join("110201543", ":AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawX"), token},
		{"Twilio", join("S", "K", hex32), token},
		{"Mailgun", join("ke", "y-", hex32), token},
		{"Airtable", join("pa", "tA1b2C3d4E5f6G7", ".", hex32, hex32), token},
		{"Discord hook", join("https://discord.com/api/webhooks/", "123456789012345678/", low20, low20), "https://discord.com/api/webhooks/123456789012345678/" + token},
		{"JWT", join("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.", low20), token},
		{"header", "Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic " + token},
		{"bearer", "curl -H 'authorization: bearer " + low20 + low20 + "'", "curl -H 'authorization: bearer " + token + "'"},
		{"named", `"client_secret": "` + low20 + `"`, `"client_secret": "` + token + `"`},
		{"in a sentence", "Your API key is " + low20 + low20 + ".", "Your API key is " + token},
		{"two of them", join("gh", "p_", low20, low20, " gh", "s_", low20, low20), token + " " + token},

		{"password in an address", "psql postgres://ann:hunter2@db.example.com:5432/x", "psql postgres://ann:" + pass + "@db.example.com:5432/x"},
		{"password with an at", "https://ann:p@ss:w0rd@host/", "https://ann:" + pass + "@host/"},
		{"short address", "ftp://a:b@c", "ftp://a:" + pass + "@c"},
		{"token in an address", "git clone https://" + low20 + "@github.com/x/y", "git clone https://" + token + "@github.com/x/y"},
		{"a name in an address stays", "ssh://git@github.com/x/y.git", "ssh://git@github.com/x/y.git"},
		{"no password", "https://ann:@host/ https://host:8080/a@b:c", "https://ann:@host/ https://host:8080/a@b:c"},
		{"password with other letters", "https://user:pässwörd@h.example/ https://müller:密码пароль@h.example", "https://user:" + pass + "@h.example/ https://müller:" + pass + "@h.example"},
		{"password with signs", "https://u:p€§ss🙂@h https://u:p%C3%A4ss@h https://u:pa'ss\"wo`rd@h", "https://u:" + pass + "@h https://u:" + pass + "@h https://u:" + pass + "@h"},
		{"quotation marks around addresses", `["https://h:80","ann@x.org"] 'https://h:80','a@b.c' {"https://h":"a@b.c"} “https://h:80”a@b.c`, ""},
		{"punctuation after an address", "看https://h:80。ann@x.org 「https://h:80」a@b.c https://h:80—a@b.c https://h:80\u00a0a@b.c", ""},
		{"a bucket with a password's form", "gs://bucket:1234@x", "gs://bucket:" + pass + "@x"},
		{"letters without a password", "https://example.com看这里的2个邮件吧ann@x.org", ""},
		{"settings", "export TOKEN=a1b2c3d4\nDB_PASSWORD=hunter2horse9\nX_API_KEY='two words' y", "export TOKEN=" + token + "\nDB_PASSWORD=" + pass + "\nX_API_KEY='" + token + "' y"},
		{"settings in quotation marks", `-e "MYSQL_ROOT_PASSWD=pässwörd(1" \` + "\nclient_secret=abcdefgh\r\n", `-e "MYSQL_ROOT_PASSWD=` + pass + `" \` + "\nclient_secret=" + token + "\r\n"},
		{"a setting in full width", "ＴＯＫＥＮ＝a1b2c3d4", "ＴＯＫＥＮ＝" + token},
		{"no settings", "TOKEN=short TOKEN=$OTHER_TOKEN PASSWORD=<your password> API_KEY={{ .Values.key }} TOKEN == something TOKENS=abcdefgh", ""},
		{"programs", "connect(user, password=read_password(), token=settings.token) nextPageToken=abcdefgh env(\"CORE_TOKEN=\"+something) if x.token=='abcdefgh'", ""},
		{"password in a query", "https://x.example/login?user=ann&password=hunter2&next=1", "https://x.example/login?user=ann&password=" + pass + "&next=1"},
		{"token in a query", "https://x.example/?access_token=abcdef12345&y=1", "https://x.example/?access_token=" + token + "&y=1"},

		{"card", "4111111111111111", card},
		{"card in groups", "Visa 4111 1111 1111 1111, thanks", "Visa " + card + ", thanks"},
		{"card with hyphens", "(5500-0000-0000-0004)", "(" + card + ")"},
		{"Amex", "3782 822463 10005", card},
		{"card beside Chinese", "卡号4111111111111111有效", "卡号" + card + "有效"},
		{"card in full width", "４１１１１１１１１１１１１１１１", card},
		{"card with no-break blanks", "4111\u00a01111\u00a01111\u00a01111", card},
		{"card with something unseen", "4111\u200b1111\u200b1111\u200b1111", card},
		{"two cards", "4111 1111 1111 1111 5500 0000 0000 0004", card + " " + card},
		{"wrong check digit", "4111 1111 1111 1112", "4111 1111 1111 1112"},
		{"no issuer", "1234567812345670", "1234567812345670"},
		{"a time", "1700000000000 2024-03-05 10:00:00.123", "1700000000000 2024-03-05 10:00:00.123"},
		{"a part of an identifier", "order_4111111111111111 x4111111111111111 0.4111111111111111", "order_4111111111111111 x4111111111111111 0.4111111111111111"},
		{"a phone number", "+49 170 1234567 and 030 12345678", "+49 170 1234567 and 030 12345678"},
		{"digits without end", strings.Repeat("4111", 20), strings.Repeat("4111", 20)},
		{"card on two lines", "Visa 4111 1111\n1111 1111 ok", "Visa " + card + " ok"},
		{"card on two lines of a quotation", "> 4111-1111-\r\n> 1111-1111", "> " + card},
		{"card that a full line breaks", strings.Repeat("word ", 12) + "4111 1111 11\n11 1111.", strings.Repeat("word ", 12) + card + "."},
		{"card without groups that a full line breaks", strings.Repeat("word ", 12) + "41111111\n11111111.", strings.Repeat("word ", 12) + card + "."},
		{"card with mixed separators", "4111 1111-1111.1111 or 4111/1111_1111 | 1111", card + " or " + card},
		{"Amex with mixed separators", "3782-822463 10005", card},
		{"card before a line with a number", "4111 1111 1111 1111\n3rd of May", card + "\n3rd of May"},
		{"card after an identifier", "v2 4111 1111 1111 1111", "v2 " + card},
		{"Arabic-Indic digits", "٤١١١١١١١١١١١١١١١", card},
		{"digits of Persian, in groups", "۴۱۱۱ ۱۱۱۱ ۱۱۱۱ ۱۱۱۱", card},
		{"digits of Hindi", "कार्ड ४१११ ११११ ११११ ११११", "कार्ड " + card},
		{"mixed digits", "４１११-۱۱۱۱-1111-١١١١", card},
		{"phone of sixteen digits", "+4915123456789013 +49 1512 3456 7890 13", "+4915123456789013 +49 1512 3456 7890 13"},
		{"phone that a card follows", "+49 170 1234567 4111 1111 1111 1111", "+49 170 1234567 " + card},
		{"account", "DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"},
		{"columns of numbers", "4000\n5000\n6000\n7001\n", "4000\n5000\n6000\n7001\n"},
		{"fractions", "3.4111111111111111 and 17_4111111111111111", "3.4111111111111111 and 17_4111111111111111"},

		{"Hugging Face, letters only", join("hf", "_abcdefGHIJklmnopQRSTuvwxYZabcdefGH") + ".", token + "."},
		{"Hugging Face, small letters", join("person:hf", "_abcdefghijklmnopqrstuvwxyzabcdefgh"), "person:" + token},
		{"glued to an underscore", join("my_gh", "p_", low20, low20, " __AK", "IAIOSFODNN7EXAMPLE_"), "my_" + token + " __" + token + "_"},
		{"glued to a word", join("tokengh", "p_", low20, low20), "token" + token},
		{"something unseen inside", join("gh", "p_a1b2\u200bc3d4e5f6g7\u00adh8i9j0", low20), token},
		{"full width", "ｇｈｐ＿" + low20 + low20, token},
		{"small letters", join("ak", "iaiosfodnn7example ey", "jhbgcioijiuzi1nij9.eyjzdwiioiixmjm0in0.", low20), token + " " + token},
		{"in an address of a page", join("https://x.example/?q=gh", "p_", low20, low20, "&page=2"), "https://x.example/?q=" + token + "&page=2"},
		{"words after a prefix", "sk-iing-in-the-alps-with-friends-2024 secret_santa_list_for_the_office_2023 npm_config_registry_url_v2_default", ""},
		{"names after a prefix", "hf_AutoModelForSequence asiapacificregionals", ""},

		{"prose", "The key to a good token ring is secrecy: passwords belong nowhere, not even in a task-force-with-a-long-name.", ""},
		{"a long path", "/usr/share/doc/openhuman-core/examples/configuration-with-everything-in-it.toml", ""},
		{"a hash", "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad and " + hex32, ""},
		{"a link", "https://www.example.com/a/b?id=12345678901&utm_source=newsletter&utm_campaign=spring", ""},
		{"an address of mail", "firstname.lastname+tag@subdomain.example.com", ""},
		{"risk", "risk-assessment-of-the-new-building-2024 disk-encryption-guide-for-beginners-2", ""},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.in
			}
			got := policy.Redact(c.in)
			if got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			if again := policy.Redact(got); again != got {
				t.Errorf("twice: %q", again)
			}
			if p := gate(t, policy.Options{RedactSecrets: true}); p.Served(t.Context(), c.in) != policy.Reveal(want) {
				t.Errorf("served as %q", p.Served(t.Context(), c.in))
			}
		})
	}
}

func TestReveal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"override", "invoice\u202efdp.exe", "invoice[U+202E]fdp.exe"},
		{"isolate", "a\u2066b\u2069c", "a[U+2066]b[U+2069]c"},
		{"run without width", "pay\u200b\u200b\u200bpal", "pay[U+200B×3]pal"},
		{"mixed run", "a\u200c\u200d\u2060b", "a[U+200C×3]b"},
		{"filler of newsletters", "Hi\u200c \u200c \u200c \u200c there", "Hi[U+200C×4] there"},
		{"tags", "x" + string([]rune{0xe0069, 0xe0067, 0xe006e}) + "y", "x[U+E0069×3]y"},
		{"selectors that carry bytes", "😀\ufe0f" + string([]rune{0xe0100, 0xe0101}), "😀[U+FE0F×3]"},
		{"bell and escape", "a\x07b\x1b[31m", "a[U+0007]b[U+001B][31m"},
		{"mark of byte order", "\ufeff\ufeffx", "[U+FEFF×2]x"},

		{"one break", "super\u200bcali", ""},
		{"soft hyphens", "Donau\u00addampf\u00adschiff", ""},
		{"Persian", "می\u200cخواهم نامه\u200cها", ""},
		{"Hindi", "क्\u200dष क्\u200cष", ""},
		{"Sinhala", "ශ්\u200dරී ලංකා", ""},
		{"family", "👨‍👩‍👧‍👦 👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈 🏳️‍⚧️ 1️⃣", ""},
		{"Scotland", "🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿", ""},
		{"no such flag", "🏴" + string([]rune{0xe0069, 0xe0067, 0xe007f}), "🏴[U+E0069×3]"},
		{"Arabic and Hebrew", "שלום\u200f! مرحبا\u200e.", ""},
		{"variants of Han", "葛\U000E0100城", ""},
		{"lines", "a\tb\r\nc\fd\ve", ""},
		{"lines that few show", "a\u2028b\u2029c\u0085d", "a[U+2028]b[U+2029]c[U+0085]d"},
		{"letters without a form", "a\u3164b\uffa0c\u115fd", "a[U+3164]b[U+FFA0]c[U+115F]d"},
		{"old Korean", "\u115f\u1161 \u1100\u1160", ""},
		{"a blank of braille", "a\u2800b\u2800\u2800", "a[U+2800]b[U+2800×2]"},
		{"braille", "⠓⠑⠇⠇⠕\u2800⠺⠕⠗⠇⠙", ""},
		{"reserved for tags", "a" + string([]rune{0xe0080, 0xe0fff}) + "b", "a[U+E0080×2]b"},
		{"reserved", "a\u2065b\ufff0c", "a[U+2065]b[U+FFF0]c"},
		{"invalid", "a\xffb", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.in
			}
			got := policy.Reveal(c.in)
			if got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			if again := policy.Reveal(got); again != got {
				t.Errorf("twice: %q", again)
			}
			if p := gate(t, policy.Options{}); p.Served(t.Context(), c.in) != want {
				t.Errorf("served as %q", p.Served(t.Context(), c.in))
			}
		})
	}
}

func TestServed(t *testing.T) {
	const text = "postgres://ann:hunter2@db\u202e"
	var none *policy.Policy
	p := gate(t, policy.Options{RedactSecrets: true})
	for _, c := range []struct{ name, got, want string }{
		{"no policy", none.Served(t.Context(), text), text},
		{"redacting", p.Served(t.Context(), text), "postgres://ann:[redacted:password]@db[U+202E]"},
		{"not redacting", gate(t, policy.Options{}).Served(t.Context(), text), "postgres://ann:hunter2@db[U+202E]"},
		{"raw", p.Served(policy.Raw(t.Context()), text), text},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q", c.name, c.got)
		}
	}
}

// Whatever surrounds a secret, it is not served, and what stands beside it is.
func TestServedProperty(t *testing.T) {
	p := gate(t, policy.Options{RedactSecrets: true})
	word := rapid.SampledFrom([]string{"the", "bill", "of", "march", "卡号", "naïve", "\n", "\n\n", "\t", "https://example.com/a", "—", "x@y.org", "🙂", "12", "2024-05-01"})
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.SampledFrom([]string{
			join("gh", "p_", low20, low20), "-----BEGIN PRIVATE KEY-----\n" + lines(2) + "-----END PRIVATE KEY-----",
			"redis://u:s3cr3tpw@h", "4111 1111 1111 1111", "4111111111111111", join("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.", low20),
		}).Draw(t, "secret")
		before, after := rapid.SliceOfN(word, 0, 8).Draw(t, "before"), rapid.SliceOfN(word, 0, 8).Draw(t, "after")
		text := strings.Join(before, " ") + " " + secret + "\n" + strings.Join(after, " ")
		got := p.Served(context.Background(), text)
		for _, hidden := range []string{low20, base64, "s3cr3tpw", "4111"} {
			if strings.Contains(got, hidden) {
				t.Fatalf("%q is served as %q", text, got)
			}
		}
		if !strings.HasPrefix(got, strings.Join(before, " ")+" ") || !strings.HasSuffix(got, strings.Join(after, " ")) {
			t.Fatalf("%q is served as %q", text, got)
		}
	})
}

func FuzzServed(f *testing.F) {
	for _, s := range []string{
		"-----BEGIN PRIVATE KEY-----\n" + lines(2), lines(3) + "-----END PRIVATE KEY-----", "a://b:c@d", "4111 1111 1111 1111", "\u202e\u200b\u200b",
		"🏴󠁧󠁢󠁳󠁣󠁴󠁿", "api_key = " + low20, "?password=x", "-----END PRIVATE KEY----------BEGIN PRIVATE KEY-----", "\xff\xf3\xa0",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := gate(t, policy.Options{RedactSecrets: true})
		got := p.Served(t.Context(), s)
		if again := p.Served(t.Context(), got); again != got {
			t.Errorf("%q is served as %q, and that as %q", s, got, again)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%q is served as %q", s, got)
		}
		if len(got) > 8*len(s)+64 {
			t.Errorf("%d bytes became %d", len(s), len(got))
		}
	})
}

// What most texts cost, and what the others do, for a chunk of the usual size.
func BenchmarkServed(b *testing.B) {
	p, _ := policy.New(policy.Options{RedactSecrets: true})
	prose := strings.Repeat("The mason repairs the harbour wall with mortar, and nobody else knows how many stones it takes. ", 16)
	for name, text := range map[string]string{
		"prose": prose, "typographic": strings.ReplaceAll(prose, "a", "’"), "chinese": strings.Repeat("龙井茶的账单在三月付清。", 60),
		"links": prose + " https://www.example.com/a/b?id=12345678901&utm_source=newsletter and the token is there", "key": prose + lines(4),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_ = p.Served(b.Context(), text)
			}
		})
	}
}

// TestSettingsWithoutEnd: names that something unseen parts do not have each look through all others.
func TestSettingsWithoutEnd(t *testing.T) {
	for _, part := range []string{"token=\u200b", "token=$\u200b", "token=a(\u200b", "x_token='\u200b", "a://b:c\u200b"} {
		took := func(n int) time.Duration {
			text, least := strings.Repeat(part, n), time.Hour
			for range 3 {
				start := time.Now()
				policy.Redact(text)
				least = min(least, time.Since(start))
			}
			return least
		}
		if one, twenty := took(1000), took(20000); twenty > 120*one+50*time.Millisecond {
			t.Errorf("%q: twenty times the text take %v instead of %v", part, twenty, one)
		}
	}
}
