package dev.damask.document;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One kind of object: the keys it may have.
///
/// @param oneOf keys of which exactly one must be there; empty when there is no such rule
record Shape(String name, String description, List<Key> keys, List<String> oneOf) {
  record Key(String name, ValueRule rule, boolean required, String description) {}

  static Shape of(String name, String description) {
    return new Shape(name, description, List.of(), List.of());
  }

  Shape must(String key, ValueRule rule, String what) {
    return with(new Key(key, rule, true, what));
  }

  Shape may(String key, ValueRule rule, String what) {
    return with(new Key(key, rule, false, what));
  }

  Shape exactlyOne(String... names) {
    return new Shape(name, description, keys, List.of(names));
  }

  private Shape with(Key key) {
    List<Key> more = new ArrayList<>(keys);
    more.add(key);
    return new Shape(name, description, List.copyOf(more), oneOf);
  }

  @Nullable Key key(String wanted) {
    for (Key key : keys) {
      if (key.name().equals(wanted)) {
        return key;
      }
    }
    return null;
  }

  List<String> names() {
    return keys.stream().map(Key::name).toList();
  }
}
