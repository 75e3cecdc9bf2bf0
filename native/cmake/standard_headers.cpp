// Has nothing of its own: the precompiled header is made for it, and others reuse it.
