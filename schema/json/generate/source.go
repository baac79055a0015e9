package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
)

const (
	// importPath is that of the working directory. The library joins it with
	// recordDir to the import path of the types it reads comments for.
	importPath = "github.com/ai-session-handler/ai-session-handler/schema/json"
	recordDir  = "../record"
)

// A source is what the text of schema/record says beyond its compiled types.
type source struct {
	// comments are those of the types and fields, each as one line, as the
	// library looks them up.
	comments map[string]string
	// words are the values of the string constants, by the name of their type.
	words map[string][]any
}

func readSource() (source, error) {
	comments, err := readComments()
	if err != nil {
		return source{}, fmt.Errorf("read the comments of %s: %w", recordDir, err)
	}
	words, err := readWords()
	if err != nil {
		return source{}, fmt.Errorf("read the constants of %s: %w", recordDir, err)
	}
	return source{comments, words}, nil
}

func readComments() (map[string]string, error) {
	var r jsonschema.Reflector
	if err := r.AddGoComments(importPath, recordDir, jsonschema.WithFullComment()); err != nil {
		return nil, err
	}
	for name, text := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(text), " ")
	}
	return r.CommentMap, nil
}

// readWords takes constants from the source because a compiled type doesn't
// know its constants, and a second list of them could lag behind.
func readWords() (map[string][]any, error) {
	files, err := filepath.Glob(filepath.Join(recordDir, "*.go"))
	if err != nil {
		return nil, err
	}
	words := map[string][]any{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			addWords(words, decl)
		}
	}
	return words, nil
}

func addWords(words map[string][]any, decl ast.Decl) {
	group, ok := decl.(*ast.GenDecl)
	if !ok || group.Tok != token.CONST {
		return
	}
	for _, spec := range group.Specs {
		constants := spec.(*ast.ValueSpec)
		typ, ok := constants.Type.(*ast.Ident)
		if !ok {
			continue
		}
		for _, value := range constants.Values {
			if word, ok := stringLiteral(value); ok {
				words[typ.Name] = append(words[typ.Name], word)
			}
		}
	}
}

func stringLiteral(e ast.Expr) (string, bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(literal.Value)
	return s, err == nil
}
