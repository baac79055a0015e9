// Package hclfile reads the files of a manifest: from their bytes to blocks and
// attributes with plain Go values, decoded against the table of schema/language.
// It owns HCL, its JSON form, expressions, variables, locals and functions, and
// is the only importer of the libraries for them: no type of theirs is in its
// API. It opens no file, reads no environment, and knows nothing of what blocks
// mean together: whether a name exists that a reference names, whether a text is
// a duration or a regular expression, or whether two plans have one name is for
// package manifest.
//
// Files are hostile: what nests too deeply is refused before HCL sees it, and
// expressions are evaluated on a budget.
package hclfile
