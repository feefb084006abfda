package dev.damask.document;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One kind of object with its allowed keys.
///
/// @param oneOf keys of which exactly one must be present; empty without such a rule
record ObjectRule(String name, String description, List<Key> keys, List<String> oneOf) {
  record Key(String name, ValueRule rule, boolean required, String description) {}

  static ObjectRule of(String name, String description) {
    return new ObjectRule(name, description, List.of(), List.of());
  }

  ObjectRule must(String key, ValueRule rule, String what) {
    return with(new Key(key, rule, true, what));
  }

  ObjectRule may(String key, ValueRule rule, String what) {
    return with(new Key(key, rule, false, what));
  }

  ObjectRule exactlyOne(String... names) {
    return new ObjectRule(name, description, keys, List.of(names));
  }

  private ObjectRule with(Key key) {
    List<Key> more = new ArrayList<>(keys);
    more.add(key);
    return new ObjectRule(name, description, List.copyOf(more), oneOf);
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
