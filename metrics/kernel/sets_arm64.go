package kernel

func detected() []*set { return []*set{&portableKernels, &neonKernels} }
