package dev.damask.expression;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The result of parsing a string.
///
/// @param slots the number of local variables of its macros
/// @param names the context keys that it reads, and `ctx` if it reads the whole context
/// @param constants the literals in the order of the text
record Parsed(Tree tree, int slots, Set<String> names, List<@Nullable Object> constants) {
  Parsed {
    names = Collections.unmodifiableSet(new TreeSet<>(names));
    constants = Collections.unmodifiableList(constants);
  }
}
