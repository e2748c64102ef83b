// The second reader of the log: Go's own packages check what the program says of trees and notes.
//
// Each line of standard input is a JSON object, each line of standard output "ok" or the error.
// Source: golang.org/x/mod/sumdb/note and sumdb/tlog.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type question struct {
	Kind   string
	Note   string
	Key    string
	Size   int64
	Root   []byte
	Index  int64
	Leaf   []byte
	Older  int64
	Before []byte
	Proof  [][]byte
}

func hash(data []byte) (found tlog.Hash) {
	copy(found[:], data)
	return found
}

func hashes(all [][]byte) (found []tlog.Hash) {
	for _, one := range all {
		found = append(found, hash(one))
	}
	return found
}

func check(asked question) error {
	switch asked.Kind {
	case "note":
		verifier, err := note.NewVerifier(asked.Key)
		if err != nil {
			return err
		}
		opened, err := note.Open([]byte(asked.Note), note.VerifierList(verifier))
		if err != nil {
			return err
		}
		if len(opened.Sigs) != 1 {
			return fmt.Errorf("%d signatures hold", len(opened.Sigs))
		}
		return nil
	case "included":
		proof := tlog.RecordProof(hashes(asked.Proof))
		return tlog.CheckRecord(proof, asked.Size, hash(asked.Root), asked.Index, hash(asked.Leaf))
	case "consistent":
		proof := tlog.TreeProof(hashes(asked.Proof))
		return tlog.CheckTree(proof, asked.Size, hash(asked.Root), asked.Older, hash(asked.Before))
	}
	return fmt.Errorf("no such question: %s", asked.Kind)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked question
		err := json.Unmarshal(lines.Bytes(), &asked)
		if err == nil {
			err = check(asked)
		}
		if err == nil {
			fmt.Println("ok")
		} else {
			fmt.Println(err)
		}
	}
}
