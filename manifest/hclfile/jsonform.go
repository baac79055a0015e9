package hclfile

import (
	stdjson "encoding/json"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// jsonContents reads an object of the JSON form as a body. What HCL does not
// understand about its shape is reported; a property that is neither an argument
// nor a block comes as an attribute without a value.
func (l *loader) jsonContents(body hcl.Body, schema *language.Block) (attrs []rawAttr, blocks []rawBlock) {
	if schema.Free != nil {
		found, diags := body.JustAttributes()
		l.shapes(diags)
		return l.jsonAttrs(found), nil
	}
	shape := shapeOf(schema)
	content, _, diags := body.PartialContent(shape)
	l.shapes(diags)
	attrs = append(l.jsonAttrs(content.Attributes), l.jsonUnknown(body, schema)...)
	sortAttrs(attrs)
	for _, b := range content.Blocks {
		blocks = append(blocks, jsonBlock(b))
	}
	return attrs, blocks
}

func shapeOf(schema *language.Block) *hcl.BodySchema {
	shape := &hcl.BodySchema{}
	for _, a := range schema.Attrs {
		shape.Attributes = append(shape.Attributes, hcl.AttributeSchema{Name: a.Name})
	}
	for _, b := range schema.Blocks {
		header := hcl.BlockHeaderSchema{Type: b.Name}
		if b.Label != "" {
			header.LabelNames = []string{b.Label}
		}
		shape.Blocks = append(shape.Blocks, header)
	}
	return shape
}

func jsonBlock(b *hcl.Block) rawBlock {
	raw := rawBlock{typeName: b.Type, labels: b.Labels, labelsAt: b.LabelRanges, typeAt: b.TypeRange, header: b.TypeRange, body: b.Body}
	if len(b.LabelRanges) > 0 {
		raw.header = b.LabelRanges[0]
	}
	return raw
}

func (l *loader) jsonAttrs(found hcl.Attributes) (attrs []rawAttr) {
	for _, a := range found {
		expr, ok := l.fromJSON(a.Expr)
		if !ok {
			expr = nil
		}
		attrs = append(attrs, rawAttr{name: a.Name, nameRange: a.NameRange, expr: expr, json: true})
	}
	sortAttrs(attrs)
	return attrs
}

// jsonUnknown returns the properties that are not in the table: HCL reports them,
// among what PartialContent has reported already. To it blocks are arguments here,
// so that it does not make hundreds of thousands of them once more.
func (l *loader) jsonUnknown(body hcl.Body, schema *language.Block) (unknown []rawAttr) {
	known, flat := map[string]bool{}, &hcl.BodySchema{}
	for _, name := range names(schema) {
		known[name] = true
		flat.Attributes = append(flat.Attributes, hcl.AttributeSchema{Name: name})
	}
	_, diags := body.Content(flat)
	for _, d := range diags {
		if d.Context == nil || d.Subject == nil {
			continue // the shape of an array
		}
		if name, ok := l.jsonName(*d.Subject); ok && !known[name] {
			unknown = append(unknown, rawAttr{name: name, nameRange: *d.Subject, json: true})
		}
	}
	return unknown
}

// jsonName reads the name of a property from the text of its file.
func (l *loader) jsonName(at hcl.Range) (name string, ok bool) {
	text := l.texts[at.Filename]
	if at.Start.Byte > at.End.Byte || at.End.Byte > len(text) {
		return "", false
	}
	return name, stdjson.Unmarshal(text[at.Start.Byte:at.End.Byte], &name) == nil
}

// shapes reports where a value of the JSON form is no object, list or name where
// one must stand.
func (l *loader) shapes(diags hcl.Diagnostics) {
	for i, d := range diags {
		if i > 0 && l.subject(diags[i-1]) == l.subject(d) {
			continue
		}
		l.report(problem.New("E206", l.subject(d), "", "%s", oneLine(d)))
	}
}

// fromJSON makes an expression of HCL from a value of the JSON form, whose
// strings are templates. HCL would parse them when they are evaluated, without a
// guard.
func (l *loader) fromJSON(e hcl.Expression) (hclsyntax.Expression, bool) {
	if items, diags := hcl.ExprList(e); !diags.HasErrors() {
		return l.listFromJSON(e, items)
	}
	if pairs, diags := hcl.ExprMap(e); !diags.HasErrors() {
		return l.mapFromJSON(e, pairs)
	}
	value, _ := e.Value(nil)
	if value.Type() == cty.String && value.IsKnown() && !value.IsNull() {
		return l.template(value.AsString(), e.Range())
	}
	return &hclsyntax.LiteralValueExpr{Val: value, SrcRange: e.Range()}, true
}

func (l *loader) listFromJSON(e hcl.Expression, items []hcl.Expression) (hclsyntax.Expression, bool) {
	list := &hclsyntax.TupleConsExpr{SrcRange: e.Range(), OpenRange: e.StartRange()}
	for _, item := range items {
		expr, ok := l.fromJSON(item)
		if !ok {
			return nil, false
		}
		list.Exprs = append(list.Exprs, expr)
	}
	return list, true
}

func (l *loader) mapFromJSON(e hcl.Expression, pairs []hcl.KeyValuePair) (hclsyntax.Expression, bool) {
	object := &hclsyntax.ObjectConsExpr{SrcRange: e.Range(), OpenRange: e.StartRange()}
	for _, pair := range pairs {
		key, ok := l.fromJSON(pair.Key)
		if !ok {
			return nil, false
		}
		value, ok := l.fromJSON(pair.Value)
		if !ok {
			return nil, false
		}
		object.Items = append(object.Items, hclsyntax.ObjectConsItem{KeyExpr: key, ValueExpr: value})
	}
	return object, true
}

// template parses the text of a string of the JSON form. Its ranges are those of
// the string: text and file differ by escapes.
func (l *loader) template(text string, at hcl.Range) (hclsyntax.Expression, bool) {
	if !strings.Contains(text, "${") && !strings.Contains(text, "%{") {
		return &hclsyntax.LiteralValueExpr{Val: cty.StringVal(text), SrcRange: at}, true
	}
	name := l.places.add(l.places.at(at))
	tokens, _ := hclsyntax.LexTemplate([]byte(text), name, firstPos)
	if found, ok := checkTokens(tokens, frame{}); !ok {
		l.offence(found)
		return nil, false
	}
	expr, diags := hclsyntax.ParseTemplate([]byte(text), name, firstPos)
	return expr, !l.syntax(diags)
}
