// The library that `hopscope explore` preloads. It has no interface: it stands before functions of other libraries.
