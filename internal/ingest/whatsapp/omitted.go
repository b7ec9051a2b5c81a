package whatsapp

import (
	"path"
	"strings"
	"sync"
	"unicode"

	"github.com/openhuman/openhuman-core/internal/ingest/talk"
)

// omitted are texts that the program writes in place of something it left out or that was taken back, in
// lower case and without brackets, marks and full stops.
var omitted = set(
	"media omitted", "medien ausgeschlossen", "medien weggelassen", "multimedia omitido", "archivo multimedia omitido", "médias omis", "fichier multimédia omis",
	"arquivo de mídia oculto", "mídia oculta", "mídia omitida", "ficheiro não revelado", "ficheiro multimédia omitido", "media omessi", "media weggelaten", "medietiedosto jätettiin pois", "media utelämnad", "media utelatt", "media udeladt", "mediefil udeladt",
	"pominięto multimedia", "plik pominięty", "без медиафайлов", "файл пропущен", "медіа пропущено", "без медіафайлів", "média vynechány", "médiá vynechané", "média hiányzik", "fișier media omis", "conținut media omis", "medijski sadržaj izostavljen", "mediji izostavljeni", "мултимедия е пропусната", "παραλείφθηκαν πολυμέσα", "τα πολυμέσα παραλείφθηκαν",
	"medya dahil edilmedi", "medya atlanmış", "תמונה הושמטה", "המדיה הושמטה", "המדיה לא נכללה", "تم استبعاد الوسائط", "حُذفت الوسائط", "الوسائط غير مدرجة", "رسانه حذف شد", "پیوست نشده است", "मीडिया छोड़ा गया", "मीडिया के बिना", "media tidak disertakan", "media diabaikan", "bỏ qua media", "ไม่รวมสื่อ",
	"省略多媒体文件", "媒体文件已省略", "媒體已略去", "略過多媒體檔", "忽略多媒体文件", "メディアは含まれていません", "メディアは省略されました", "미디어 파일을 생략한 대화내용", "미디어 파일 생략", "media disingkirkan",
	"image omitted", "video omitted", "audio omitted", "sticker omitted", "gif omitted", "document omitted", "contact card omitted", "video note omitted",
	"bild weggelassen", "video weggelassen", "audio weggelassen", "sticker weggelassen", "gif weggelassen", "dokument weggelassen", "kontaktkarte ausgelassen",
	"image absente", "vidéo absente", "audio omis", "sticker omis", "document omis", "imagen omitida", "audio omitido", "video omitido", "sticker omitido", "documento omitido", "imagem ocultada", "áudio ocultado", "vídeo omitido", "figurinha omitida", "immagine omessa", "video omesso", "audio omesso", "sticker non incluso", "documento omesso",
	"afbeelding weggelaten", "video weggelaten", "audio weggelaten", "sticker weggelaten", "图像已忽略", "视频已忽略", "音频已忽略", "贴图已忽略", "圖片已略去", "画像は含まれていません", "ビデオは含まれていません", "изображение отсутствует", "видео отсутствует", "аудиофайл отсутствует",
	"this message was deleted", "you deleted this message", "this message was deleted by admin", "null",
	"diese nachricht wurde gelöscht", "du hast diese nachricht gelöscht", "ce message a été supprimé", "vous avez supprimé ce message", "se eliminó este mensaje", "eliminaste este mensaje", "este mensaje fue eliminado", "mensagem apagada", "essa mensagem foi apagada", "você apagou esta mensagem", "questo messaggio è stato eliminato", "hai eliminato questo messaggio", "dit bericht is verwijderd", "u hebt dit bericht verwijderd", "данное сообщение удалено", "вы удалили данное сообщение", "bu mesaj silindi", "bu mesajı sildiniz", "此消息已删除", "您已删除这条消息", "此訊息已刪除", "このメッセージは削除されました", "삭제된 메시지입니다", "تم حذف هذه الرسالة", "یہ پیغام حذف کر دیا گیا", "pesan ini telah dihapus", "anda menghapus pesan ini", "wiadomość została usunięta",
	"missed voice call", "missed video call", "verpasster sprachanruf", "verpasster videoanruf", "waiting for this message", "waiting for this message this may take a while",
)

// edited are what the program puts behind a message that was changed.
var edited = set(
	"this message was edited", "diese nachricht wurde bearbeitet", "ce message a été modifié", "se editó este mensaje", "este mensaje fue editado", "mensagem editada", "essa mensagem foi editada", "questo messaggio è stato modificato", "dit bericht is bewerkt", "сообщение изменено", "данное сообщение изменено", "bu mesaj düzenlendi", "此消息已编辑", "此訊息已編輯", "このメッセージは編集されました", "수정된 메시지입니다", "تم تعديل هذه الرسالة", "pesan ini diedit", "edytowano wiadomość", "wiadomość została zmieniona",
)

// attachedWords are what Android puts in brackets behind the name of an exported file.
var attachedWords = set(
	"file attached", "datei angehängt", "fichier joint", "archivo adjunto", "arquivo anexado", "ficheiro anexado", "file allegato", "bestand bijgevoegd", "файл добавлен", "файл прикріплено", "dosya ekli", "plik dołączony", "soubor přiložen", "bifogad fil", "fil vedlagt", "vedhæftet fil", "tiedosto liitetty", "αρχείο συνημμένο", "file terlampir", "文件附件", "附件檔案", "檔案附件", "添付ファイル", "파일 첨부됨", "مرفق", "ملف مرفق", "הקובץ מצורף", "फ़ाइल अटैच की गई", "tệp đính kèm",
)

// set returns what makes a set of texts when it is first asked for.
func set(ss ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool, len(ss))
		for _, s := range ss {
			m[plainly(s)] = true
		}
		return m
	})
}

// plainly reduces a line to what the lists above hold.
func plainly(s string) string {
	s = strings.ToLower(talk.Name(s))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch r {
		case '<', '>', '(', ')', '[', ']', '.', ',', '。', '！', '!', '…', '\u200b':
			return -1
		}
		return r
	}, s))
}

// spoken returns what somebody wrote of a message: without what stands for pictures that were left out,
// messages taken back and the like. A document that was sent is named. On iOS a mark before a text tells
// that the program speaks.
func spoken(text string) string {
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for i, l := range lines {
		if head, ok := beforeFile(l); ok {
			if head != "" {
				kept = append(kept, head)
			}
			continue
		}
		bare := strings.TrimSpace(talk.Unmarked(l))
		marked := strings.HasPrefix(l, "\u200e") || strings.HasPrefix(l, "\u200f\u200e")
		switch {
		case bare == "":
			if i > 0 {
				kept = append(kept, "")
			}
			continue
		case len(bare) < 120 && omitted()[plainly(bare)]:
			continue
		}
		if name, ok := attachment(bare, marked); ok {
			if name != "" {
				kept = append(kept, "[file: "+name+"]")
			}
			continue
		}
		if marked && i == 0 {
			continue // the program speaks, in some language
		}
		kept = append(kept, withoutEdited(l))
	}
	return talk.Tidy(strings.TrimSpace(strings.Join(kept, "\n")))
}

// beforeFile returns what stands before the file that iOS names, or names as left out, at the end of a
// line: what was written beside it, or what the document is called.
func beforeFile(l string) (head string, ok bool) {
	i := strings.LastIndex(l, "\u200e")
	if i <= 0 {
		return "", false
	}
	tail := strings.TrimSpace(talk.Unmarked(l[i:]))
	if _, ok := attachment(tail, true); !ok && !omitted()[plainly(tail)] {
		return "", false
	}
	head = talk.Unmarked(l[:i])
	if name, _, ok := strings.Cut(head, " • "); ok {
		return "[file: " + talk.Name(name) + "]", true
	}
	return strings.TrimSpace(head), true
}

// withoutEdited drops "<This message was edited>" from the end of a line, and the marks that enclose the
// names of people who are called.
func withoutEdited(l string) string {
	if i := strings.LastIndexByte(l, '<'); i >= 0 && len(l)-i < 120 && strings.HasSuffix(strings.TrimSpace(talk.Unmarked(l)), ">") {
		if strings.HasSuffix(l[:i], "\u200e") || edited()[plainly(l[i:])] {
			l = strings.TrimRightFunc(l[:i], func(r rune) bool { return talk.Mark(r) || unicode.IsSpace(r) })
		}
	}
	return talk.Unmarked(l)
}

// attachment reports whether a line names an exported file, and the name where it says something.
func attachment(l string, marked bool) (name string, ok bool) {
	switch {
	case strings.HasPrefix(l, "<") && strings.HasSuffix(l, ">"):
		// iOS: <attached: 00000012-Report.pdf>, the word in its language.
		_, name, ok = strings.Cut(l[1:len(l)-1], ": ")
		if !ok || path.Ext(name) == "" || !marked && !numbered(name) {
			return "", false
		}
	case strings.HasSuffix(l, ")"):
		i := strings.LastIndex(l, " (")
		if i <= 0 || !attachedWords()[plainly(l[i:])] {
			return "", false
		}
		name = l[:i]
	default:
		return "", false
	}
	name = talk.Name(name)
	if numbered(name) {
		name = name[9:]
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".png", ".webp", ".gif", ".opus", ".mp4", ".mov", ".m4a", ".aac", ".3gp", ".heic", ".mp3", ".ogg", ".was", ".amr":
		return "", true
	}
	return name, true
}

// numbered reports whether a file's name begins as those of iOS exports do: 00000012-.
func numbered(name string) bool {
	if len(name) < 10 || name[8] != '-' {
		return false
	}
	return strings.Trim(name[:8], "0123456789") == ""
}
