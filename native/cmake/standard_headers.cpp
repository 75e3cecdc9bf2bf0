// Empty: the precompiled header is built for this file, and other targets reuse it.
