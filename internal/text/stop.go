package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// IsStopWord reports whether the folded word w carries no meaning of its own.
func IsStopWord(w string) bool {
	_, ok := stopWords[w]
	return ok
}

var stopWords = func() map[string]struct{} {
	m := make(map[string]struct{}, 256)
	for _, w := range strings.Fields(stopEnglish + stopRuns + stopSingles) {
		m[w] = struct{}{}
	}
	return m
}()

// The single letters are what is left of don't, she's, they'd, we'll, I'm, they're and I've.
const stopEnglish = `
a about after again all also am an and any are as at be because been before being below between both but by
can could did do does doing don down during each etc few for from further get got had has have having he her here
hers herself him himself his how i if in into is it its itself just let like ll me might more most much must my
myself no nor not now of off on once only or other our ours ourselves out over own please re same shall she should
so some such tell than that the their theirs them themselves then there these they this those through to too under
until up upon us ve very was we were what when where whether which while who whom whose why will with would you
your yours yourself yourselves d m s t didn doesn isn wasn won wouldn couldn shouldn hasn haven hadn aren weren ain `

// What a question in Chinese or Japanese is made of beside what it is about.
const stopRuns = `
我们 你们 他们 她们 它们 这个 那个 这些 那些 什么 怎么 怎样 怎么样 如何 为什么 为何 哪些 哪个 哪里 哪儿 多少 什么时候 何时
请问 一下 关于 有没有 是否 有关 是不是 能不能 可不可以 告诉
です ます でした ました ですか ますか でしょうか ください いつ どこ だれ なに どの どれ なぜ これ それ あれ について ありますか `

// Single characters are stop-words when they stand alone; only those of stopParticles also part a
// run, since most others are parts of names as well (上海, 里斯本, 和平).
const (
	stopSingles   = "的 了 吗 呢 吧 啊 呀 嘛 是 在 和 与 或 及 我 你 您 他 她 它 这 那 哪 谁 几 请 之 也 都 就 は が を に の へ と で も や か よ ね 誰 何 "
	stopParticles = "的吗呢吧嘛"
)

var stopRunList = func() []string {
	l := strings.Fields(stopRuns)
	slices.SortStableFunc(l, func(a, b string) int { return len(b) - len(a) })
	return l
}()

// ContentParts returns what is left of a folded run of a script without spaces when the words that
// only make it a question are taken out.
func ContentParts(run string) []string {
	var parts []string
	start := 0
	flush := func(end int) {
		if end > start {
			parts = append(parts, run[start:end])
		}
	}
scan:
	for i := 0; i < len(run); {
		for _, w := range stopRunList {
			if strings.HasPrefix(run[i:], w) {
				flush(i)
				i += len(w)
				start = i
				continue scan
			}
		}
		r, n := utf8.DecodeRuneInString(run[i:])
		if strings.ContainsRune(stopParticles, r) {
			flush(i)
			start = i + n
		}
		i += n
	}
	flush(len(run))
	return parts
}
