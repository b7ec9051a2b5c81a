package charset

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// aliases maps labels seen in mail to the names used here.
var aliases = map[string]string{
	"default": "", "none": "", "unknown": "", "x-unknown": "", "unknown-8bit": "", "x-user-defined": "",
	"binary": "", "8bit": "", "7bit": "", "text": "", "plain": "", "(null)": "", "null": "", "undefined": "",
	"ascii": "us-ascii", "us_ascii": "us-ascii", "usascii": "us-ascii", "us": "us-ascii", "7-bit": "us-ascii",
	"ansi-x3.4-1968": "us-ascii", "ansi_x3.4-1968": "us-ascii", "iso646-us": "us-ascii", "646": "us-ascii",
	"iso-ir-6": "us-ascii", "csascii": "us-ascii", "cp367": "us-ascii", "x-us-ascii": "us-ascii",
	"utf8": "utf-8", "utf": "utf-8", "utf-8mb4": "utf-8", "utf8mb4": "utf-8", "unicode-1-1-utf-8": "utf-8",
	"x-utf-8": "utf-8", "csutf8": "utf-8", "cp65001": "utf-8", "65001": "utf-8", "utf-8-sig": "utf-8",
	"utf7": "utf-7", "unicode-1-1-utf-7": "utf-7", "csunicode11utf7": "utf-7", "x-unicode-2-0-utf-7": "utf-7",
	"utf16": "utf-16", "unicode": "utf-16", "ucs-2": "utf-16", "iso-10646-ucs-2": "utf-16", "utf-16-le": "utf-16le",
	"utf-16-be": "utf-16be", "utf16le": "utf-16le", "utf16be": "utf-16be", "unicodefffe": "utf-16be",
	"utf32": "utf-32", "ucs-4": "utf-32", "utf32le": "utf-32le", "utf32be": "utf-32be",
	"mac-roman": "macintosh", "macroman": "macintosh", "mac": "macintosh", "x-mac-roman": "macintosh",
	"macos-roman": "macintosh", "apple-roman": "macintosh", "mac-cyrillic": "x-mac-cyrillic",
	"maccyrillic": "x-mac-cyrillic", "x-mac-ukrainian": "x-mac-cyrillic",
	"latin-1": "iso-8859-1", "latin1": "iso-8859-1", "iso8859": "iso-8859-1", "iso-8859": "iso-8859-1",
	"8859-1": "iso-8859-1", "iso-latin-1": "iso-8859-1", "x-iso-8859-1": "iso-8859-1", "iso": "iso-8859-1",
	"latin-2": "iso-8859-2", "latin-9": "iso-8859-15", "latin9": "iso-8859-15", "latin-5": "iso-8859-9",
	"cp-1250": "windows-1250", "cp-1251": "windows-1251", "cp-1252": "windows-1252", "win-1250": "windows-1250",
	"win-1251": "windows-1251", "win-1252": "windows-1252", "win1251": "windows-1251", "1251": "windows-1251",
	"1252": "windows-1252", "ansi": "windows-1252", "windows1252": "windows-1252", "windows1251": "windows-1251",
	"cp-1258": "windows-1258", "cp1258": "windows-1258", "win-1258": "windows-1258",
	"windows-31j": "shift_jis", "cp932": "shift_jis", "ms932": "shift_jis", "sjis": "shift_jis",
	"shift-jis": "shift_jis", "x-sjis": "shift_jis", "shift_jisx0213": "shift_jis",
	"iso-2022-jp-1": "iso-2022-jp", "iso-2022-jp-2": "iso-2022-jp", "iso-2022-jp-ms": "iso-2022-jp",
	"cp50220": "iso-2022-jp", "cp50221": "iso-2022-jp", "cp50222": "iso-2022-jp", "csiso2022jp": "iso-2022-jp",
	"jis": "iso-2022-jp", "eucjp": "euc-jp", "euc-jp-ms": "euc-jp", "eucjp-win": "euc-jp", "cp51932": "euc-jp",
	"ks-c-5601-1987": "euc-kr", "ks-c-5601": "euc-kr", "ksc5601": "euc-kr", "cp949": "euc-kr", "uhc": "euc-kr",
	"ms949": "euc-kr", "euckr": "euc-kr", "x-windows-949": "euc-kr", "csiso2022kr": "iso-2022-kr",
	"gb-18030": "gb18030", "cp936": "gb18030", "936": "gb18030", "ms936": "gb18030", "x-gbk": "gb18030",
	"gbk": "gb18030", "gb2312": "gb18030", "gb-2312": "gb18030", "gb2312-80": "gb18030", "euc-cn": "gb18030",
	"euccn": "gb18030", "chinesesimplified": "gb18030", "cn-gb": "gb18030", "hz": "hz-gb-2312",
	"big-5": "big5", "cp950": "big5", "big5hkscs": "big5-hkscs", "x-big5": "big5", "cn-big5": "big5", "big5-eten": "big5",
	"koi8r": "koi8-r", "koi8": "koi8-r", "koi8u": "koi8-u", "koi8-ru": "koi8-u",
	"tis620": "windows-874", "tis-620": "windows-874", "cp874": "windows-874", "iso-8859-8-i": "iso-8859-8",
	"iso-8859-8-e": "iso-8859-8", "ibm-850": "cp850", "ibm850": "cp850", "850": "cp850", "dos-850": "cp850",
	"ibm437": "cp437", "437": "cp437", "oem-us": "cp437", "ibm852": "cp852", "ibm855": "cp855", "ibm858": "cp858",
	"ibm00858": "cp858", "ibm860": "cp860", "ibm862": "cp862", "dos-862": "cp862", "ibm863": "cp863",
	"ibm865": "cp865", "ibm866": "cp866", "866": "cp866", "dos-866": "cp866", "ibm037": "cp037", "ebcdic-cp-us": "cp037",
	"ibm1047": "cp1047", "ibm01140": "cp1140",
}

// extra holds what the WHATWG table lacks, and what is asked for by itself.
var extra = map[string]encoding.Encoding{
	"cp437": charmap.CodePage437, "cp850": charmap.CodePage850, "cp852": charmap.CodePage852,
	"cp855": charmap.CodePage855, "cp858": charmap.CodePage858, "cp860": charmap.CodePage860,
	"cp862": charmap.CodePage862, "cp863": charmap.CodePage863, "cp865": charmap.CodePage865,
	"cp866": charmap.CodePage866, "cp037": charmap.CodePage037, "cp1047": charmap.CodePage1047,
	"cp1140": charmap.CodePage1140, "windows-1258": charmap.Windows1258, "shift_jis": japanese.ShiftJIS,
}

// lettersHigh are the single-byte sets whose letters all lie above 0xC0: bytes in them that are valid
// UTF-8 are wrongly labelled UTF-8.
var lettersHigh = map[string]bool{
	"iso-8859-1": true, "iso-8859-2": true, "iso-8859-9": true, "iso-8859-15": true, "windows-1250": true,
	"windows-1251": true, "windows-1252": true, "windows-1254": true, "koi8-r": true, "koi8-u": true,
}
