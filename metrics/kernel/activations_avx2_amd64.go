package kernel

var elementsAVX2 = elements{
	add:          addAVX2,
	subtract:     subtractAVX2,
	multiply:     multiplyAVX2,
	divide:       divideAVX2,
	maximum:      maximumAVX2,
	minimum:      minimumAVX2,
	multiplyAdd:  multiplyAddAVX2,
	scale:        scaleAVX2,
	sqrt:         sqrtAVX2,
	reciprocal:   reciprocalAVX2,
	rsqrt:        rsqrtAVX2,
	sign:         signAVX2,
	negate:       negateAVX2,
	absolute:     absoluteAVX2,
	exp:          expAVX2,
	erf:          erfAVX2,
	tanh:         tanhAVX2,
	logistic:     logisticAVX2,
	gelu:         geluAVX2,
	geluGradient: geluGradientAVX2,
}

var rowsAVX2 = rows{
	sum:               sumAVX2,
	largest:           largestAVX2,
	expSum:            expSumAVX2,
	centredProduct:    centredProductAVX2,
	moments:           momentsAVX2,
	normalize:         normalizeAVX2,
	slopes:            slopesAVX2,
	normalizeGradient: normalizeGradientAVX2,
	addNormalized:     addNormalizedAVX2,
}
