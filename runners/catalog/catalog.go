// Package catalog turns a name in a file or flag (a benchmark, a training corpus, a model, a
// card, a folder, ORG/NAME) into data or a model of a known revision. It opens and pins; it
// does not train or score.
package catalog
