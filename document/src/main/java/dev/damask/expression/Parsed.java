package dev.damask.expression;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What a parser found out about a text.
///
/// @param tree null when only the library can evaluate the expression
/// @param slots how many local variables its macros need
/// @param names the context keys it reads, and `ctx` if it reads the whole
record Parsed(@Nullable Tree tree, int slots, Set<String> names) {
  Parsed {
    names = Collections.unmodifiableSet(new TreeSet<>(names));
  }
}
