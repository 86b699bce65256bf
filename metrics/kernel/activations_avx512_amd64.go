package kernel

var elementsAVX512 = elements{
	add:          addAVX512,
	subtract:     subtractAVX512,
	multiply:     multiplyAVX512,
	divide:       divideAVX512,
	maximum:      maximumAVX512,
	minimum:      minimumAVX512,
	multiplyAdd:  multiplyAddAVX512,
	scale:        scaleAVX512,
	sqrt:         sqrtAVX512,
	reciprocal:   reciprocalAVX512,
	rsqrt:        rsqrtAVX512,
	sign:         signAVX512,
	negate:       negateAVX512,
	absolute:     absoluteAVX512,
	exp:          expAVX512,
	erf:          erfAVX512,
	tanh:         tanhAVX512,
	logistic:     logisticAVX512,
	gelu:         geluAVX512,
	geluGradient: geluGradientAVX512,
}

var rowsAVX512 = rows{
	sum:               sumAVX512,
	largest:           largestAVX512,
	expSum:            expSumAVX512,
	centredProduct:    centredProductAVX512,
	moments:           momentsAVX512,
	normalize:         normalizeAVX512,
	slopes:            slopesAVX512,
	normalizeGradient: normalizeGradientAVX512,
	addNormalized:     addNormalizedAVX512,
}
