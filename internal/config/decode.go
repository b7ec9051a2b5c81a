package config

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// decode returns the text of a settings file in UTF-8 without a byte order mark. Editors on Windows
// write UTF-16, which a mark at the beginning gives away. Anything else is an error: a guess would
// read other names than the owner wrote.
func decode(data []byte) ([]byte, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	}
	if order != nil {
		text, err := fromUTF16(data[2:], order)
		if err != nil {
			return nil, err
		}
		data = text
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, errors.New("holds a zero byte in line " + line(data[:i]) + ", so it is no text; save it as UTF-8")
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return nil, errors.New("is not UTF-8 in line " + line(data[:i]) + "; save it as UTF-8")
		}
		i += n
	}
	return data, nil
}

func line(before []byte) string { return fmt.Sprint(bytes.Count(before, []byte("\n")) + 1) }

func fromUTF16(data []byte, order binary.ByteOrder) ([]byte, error) {
	broken := errors.New("is broken UTF-16; save it as UTF-8")
	if len(data)%2 != 0 {
		return nil, broken
	}
	var text []byte
	for i := 0; i < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			if i += 2; i >= len(data) {
				return nil, broken
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(data[i:]))); r == utf8.RuneError {
				return nil, broken
			}
		}
		text = utf8.AppendRune(text, r)
	}
	return text, nil
}
