package plan

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxDepth bounds how many lists, items and quotes may nest. The parser works
// once per open container and line and walks the result recursively: without
// a bound, a megabyte of ">" would cost minutes and then the stack.
const maxDepth = 100

type blockKind int

const (
	paragraphBlock blockKind = iota
	headingBlock
	fenceBlock
	commentBlock
	htmlBlock // every HTML block but a comment
	codeBlock // indented code
)

type containerKind int

const (
	noContainer containerKind = iota
	listContainer
	quoteContainer
)

// container is the outermost list or quote around a block.
type container struct {
	kind containerKind
	line int
}

// block is one leaf of the document: lines of text that mean one thing.
type block struct {
	kind        blockKind
	first, last int // lines, closing fence or underline included
	inside      container
	item        bool // it is what its list item starts with

	level    int // of a heading
	textLine int // number of lines of a heading's text
	from, to int // offsets of the text of a heading

	closed bool              // a fence or HTML block: ended by a line of its own
	tag    ast.HTMLBlockType // of an HTML block
}

// outliner turns goldmark's tree into a flat list of leaf blocks in order of
// position, which is all that the rules of a plan need.
type outliner struct {
	lines   lines
	base    int // offset of goldmark's source in ours
	closed  map[ast.Node]bool
	tooDeep int // offset of the first container beyond maxDepth, or -1
	blocks  []block
}

func outline(l lines) *outliner {
	o := &outliner{lines: l, closed: map[ast.Node]bool{}, tooDeep: -1}
	o.blocks = make([]block, 0, min(l.count(), len(l.source)/32)) // a guess
	if l.count() > 0 {
		o.base = l.start(1)
	}
	source := unixLines(l.source[o.base:])
	root := o.parser().Parse(text.NewReader(source))
	o.walk(root, container{}, false)
	return o
}

// parser knows the blocks of CommonMark and nothing of inlines: emphasis and
// links don't decide what a phase is.
func (o *outliner) parser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(bounded{parser.NewListParser(), o}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(ending{parser.NewFencedCodeBlockParser(), o}, 700),
			util.Prioritized(bounded{parser.NewBlockquoteParser(), o}, 800),
			util.Prioritized(ending{parser.NewHTMLBlockParser(), o}, 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(shortDefinitions{parser.LinkReferenceParagraphTransformer}, 100),
		),
	)
}

// ending notes which blocks end with a line of their own, a closing fence or
// "-->": in the tree they look like those that ended with their container or
// with the file.
type ending struct {
	parser.BlockParser
	outliner *outliner
}

// Continue notes that the block closes itself.
func (e ending) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	state := e.BlockParser.Continue(node, reader, pc)
	if state == parser.Close {
		e.outliner.closed[node] = true
	}
	return state
}

// bounded refuses to open a container beyond maxDepth; its line becomes text.
type bounded struct {
	parser.BlockParser
	outliner *outliner
}

// Open opens a container unless it would lie too deep.
func (b bounded) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	if depth <= maxDepth {
		return b.BlockParser.Open(parent, reader, pc)
	}
	if _, at := reader.Position(); b.outliner.tooDeep < 0 {
		b.outliner.tooDeep = b.outliner.base + at.Start
	}
	return nil, parser.NoChildren
}

// maxDefinitions bounds the lines of a paragraph that is searched for link
// definitions, which goldmark does in quadratic time.
const maxDefinitions = 100

// shortDefinitions leaves longer paragraphs as they are. That could only make
// an underlined heading behind so many definitions one of several lines, which
// is an error when it reads like a phase.
type shortDefinitions struct{ parser.ParagraphTransformer }

// Transform takes the link definitions out of a paragraph.
func (s shortDefinitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxDefinitions {
		s.ParagraphTransformer.Transform(node, reader, pc)
	}
}

func (o *outliner) walk(parent ast.Node, inside container, item bool) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		starts := item && n == parent.FirstChild()
		switch n := n.(type) {
		case *ast.List:
			o.walk(n, o.enter(inside, listContainer, n), false)
		case *ast.Blockquote:
			o.walk(n, o.enter(inside, quoteContainer, n), false)
		case *ast.ListItem:
			o.walk(n, inside, true)
		default:
			if b, ok := o.leaf(n); ok {
				b.inside, b.item = inside, starts
				o.blocks = append(o.blocks, b)
			}
		}
	}
}

func (o *outliner) enter(inside container, kind containerKind, n ast.Node) container {
	if inside.kind != noContainer {
		return inside
	}
	return container{kind, o.line(n.Pos())}
}

// line returns the line of an offset of goldmark's.
func (o *outliner) line(offset int) int { return o.lines.number(o.base + offset) }

func (o *outliner) leaf(n ast.Node) (block, bool) {
	switch n := n.(type) {
	case *ast.Heading:
		return o.heading(n), true
	case *ast.FencedCodeBlock:
		return o.fence(n), true
	case *ast.HTMLBlock:
		return o.html(n), true
	case *ast.CodeBlock:
		return o.plain(codeBlock, n)
	case *ast.Paragraph, *ast.TextBlock:
		return o.plain(paragraphBlock, n)
	}
	return block{}, false
}

func (o *outliner) plain(kind blockKind, n ast.Node) (block, bool) {
	first, last, ok := o.span(n.Lines())
	return block{kind: kind, first: first, last: last}, ok
}

func (o *outliner) span(s *text.Segments) (first, last int, ok bool) {
	if s.Len() == 0 {
		return 0, 0, false
	}
	return o.line(s.At(0).Start), o.line(s.At(s.Len() - 1).Start), true
}

func (o *outliner) heading(n *ast.Heading) block {
	b := block{kind: headingBlock, level: n.Level, textLine: n.Lines().Len()}
	first, last, ok := o.span(n.Lines())
	if !ok { // an empty ATX heading
		b.first = o.line(n.Pos())
		b.last, b.from, b.to = b.first, o.lines.start(b.first), o.lines.start(b.first)
		return b
	}
	b.first, b.last = first, last
	b.from = o.base + n.Lines().At(0).Start
	b.to = o.base + n.Lines().At(n.Lines().Len()-1).Stop
	if !o.hashed(b) {
		b.last++ // the underline, which is in no node
	}
	return b
}

// hashed tells an ATX heading from an underlined one: only the former has a
// "#" before its text.
func (o *outliner) hashed(b block) bool {
	before := bytes.TrimRight(o.lines.source[o.lines.start(b.first):b.from], " \t\v\f")
	return bytes.HasSuffix(before, []byte("#"))
}

func (o *outliner) fence(n *ast.FencedCodeBlock) block {
	b := block{kind: fenceBlock, first: o.line(n.Pos()), closed: o.closed[n]}
	b.last = b.first
	if _, last, ok := o.span(n.Lines()); ok {
		b.last = last
	}
	if b.closed {
		b.last++
	}
	return b
}

func (o *outliner) html(n *ast.HTMLBlock) block {
	b := block{kind: htmlBlock, closed: o.closed[n], tag: n.HTMLBlockType}
	b.first, b.last, _ = o.span(n.Lines())
	if n.HTMLBlockType != ast.HTMLBlockType2 {
		return b
	}
	b.kind = commentBlock
	switch {
	case n.HasClosure():
		b.last = o.line(n.ClosureLine.Start)
	case b.first == b.last: // goldmark sees a one-line comment's end on the next line
		b.closed = bytes.Contains(o.lines.text(b.first), []byte("-->"))
	}
	return b
}
