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
	"path/filepath"
	"strings"

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
	Folder string
}

// A log's files: tiles of height 8, whose height C2SP leaves out of their names.
type files struct {
	folder string
}

func (log files) Height() int { return 8 }

func (log files) ReadTiles(tiles []tlog.Tile) (found [][]byte, err error) {
	for _, tile := range tiles {
		name := "tile/" + strings.TrimPrefix(tile.Path(), "tile/8/")
		data, err := os.ReadFile(filepath.Join(log.folder, name))
		if err != nil {
			return nil, err
		}
		found = append(found, data)
	}
	return found, nil
}

func (log files) SaveTiles(tiles []tlog.Tile, data [][]byte) {}

// The tiles lead to the root, and prove that the leaf is in its place.
func checkTiles(asked question) error {
	tree := tlog.Tree{N: asked.Size, Hash: hash(asked.Root)}
	reader := tlog.TileHashReader(tree, files{asked.Folder})
	proof, err := tlog.ProveRecord(asked.Size, asked.Index, reader)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, asked.Size, tree.Hash, asked.Index, hash(asked.Leaf))
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
	case "tiles":
		return checkTiles(asked)
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
