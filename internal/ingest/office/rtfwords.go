package office

import "strconv"

// unread are the groups whose text is no part of the document.
var unread = map[string]bool{
	"colortbl": true, "pict": true, "objdata": true, "fldinst": true, "header": true, "headerl": true, "headerr": true, "headerf": true, "footer": true,
	"footerl": true, "footerr": true, "footerf": true, "xe": true, "tc": true, "rxe": true, "filetbl": true, "revtbl": true, "listtable": true,
	"themedata": true, "datastore": true, "nonshppict": true, "bkmkstart": true, "bkmkend": true, "txe": true, "private": true, "ftnsep": true, "ftnsepc": true,
}

// marks are words that stand for a character.
var marks = map[string]string{
	"tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
	"emspace": " ", "enspace": " ", "qmspace": " ",
}

// charsets are those of fonts.
var charsets = map[int]string{
	77: "macintosh", 128: "shift_jis", 129: "euc-kr", 134: "gbk", 136: "big5", 161: "windows-1253", 162: "windows-1254", 163: "windows-1258",
	177: "windows-1255", 178: "windows-1256", 186: "windows-1257", 204: "windows-1251", 222: "windows-874", 238: "windows-1250",
}

// codePage returns the name of a charset that Windows calls by a number.
func codePage(n int) string {
	switch n {
	case 932:
		return "shift_jis"
	case 936:
		return "gbk"
	case 949:
		return "euc-kr"
	case 950:
		return "big5"
	case 10000:
		return "macintosh"
	case 65001:
		return "utf-8"
	case 437, 850, 852, 866:
		return "cp" + strconv.Itoa(n)
	}
	if n >= 1250 && n <= 1258 || n == 874 {
		return "windows-" + strconv.Itoa(n)
	}
	return "windows-1252"
}
