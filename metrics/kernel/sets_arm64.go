package kernel

func available() []*set { return []*set{&portable, &neon} }
