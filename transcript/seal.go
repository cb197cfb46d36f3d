package transcript

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"

	"github.com/troupe-go/troupe/event"
)

// A line of the file is the JSON form of a record with one more field at its
// end, the seal: the checksum (CRC-32C) of all bytes of the line before it.
// Without it a byte that flips inside a text would go unseen. The seal belongs
// to the line, not to the record: no reader hands it on. Lines without one are
// read too.
const (
	sealHead = `,"crc":"`
	sealTail = `"}`
	sealSize = len(sealHead) + 2*crc32.Size + len(sealTail)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errChecksum = errors.New("the checksum of the line is not that of its text, so it was damaged; if you changed it on purpose, take its field crc out")
	errSeal     = errors.New("the field crc at the end of the line is damaged")
)

// seal puts the seal into the JSON object that line is.
func seal(line []byte) []byte {
	line = line[:len(line)-1]
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(line, castagnoli))
	line = hex.AppendEncode(append(line, sealHead...), sum)
	return append(line, sealTail...)
}

// unseal reads the record of a line and checks its seal, if it has one.
func unseal(line []byte) (event.Record, error) {
	var rec event.Record
	body := len(line) - sealSize
	if body < 0 {
		return rec, rec.UnmarshalJSON(line)
	}
	switch wrong := sealDamage(line[body:]); {
	case wrong > 2: // it has none
		return rec, rec.UnmarshalJSON(line)
	case wrong > 0:
		return rec, errSeal
	}
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(line[:body], castagnoli))
	same := string(hex.AppendEncode(nil, sum)) == string(line[body+len(sealHead):len(line)-len(sealTail)])
	line[body] = '}' // for now
	err := rec.UnmarshalJSON(line[:body+1])
	line[body] = sealHead[0]
	if err == nil && !same { // the error of the JSON tells more
		err = errChecksum
	}
	return rec, err
}

// sealDamage counts the bytes at the end of a line that a seal would have
// otherwise.
func sealDamage(end []byte) int {
	wrong := 0
	for i := range len(sealHead) {
		if end[i] != sealHead[i] {
			wrong++
		}
	}
	for i := range len(sealTail) {
		if end[sealSize-len(sealTail)+i] != sealTail[i] {
			wrong++
		}
	}
	return wrong
}
