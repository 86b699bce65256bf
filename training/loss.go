// Package training trains bi-encoders on instruction-query-passage triplets
// under every objective of InF-Embed.
package training
