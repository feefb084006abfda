package dev.damask.attribute;

import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// What a case can be found by, as its last commit has it. Stores index it in that commit.
///
/// @param attributes the values of the declared attributes; those without a value are left out
/// @param problems why an attribute has no value although its expression returned one, by name;
///   these are not indexed
/// @param waits the names of the tasks, places and sets of instances that the case waits for
public record CaseFacts(
    SortedMap<String, AttributeValue> attributes,
    SortedMap<String, String> problems,
    List<String> waits) {
  /// The name of the index of waits. No attribute has this name.
  public static final String WAITING_FOR = "waitingFor";

  /// A case that can only be found by its id, workflow, status and start.
  public static final CaseFacts NONE = new CaseFacts(new TreeMap<>(), new TreeMap<>(), List.of());

  public CaseFacts {
    attributes = copy(attributes);
    problems = copy(problems);
    waits = List.copyOf(waits);
  }

  private static <T> SortedMap<String, T> copy(SortedMap<String, T> map) {
    return map.isEmpty()
        ? Collections.emptySortedMap()
        : Collections.unmodifiableSortedMap(new TreeMap<>(map));
  }

  /// The same attributes of a case that waits for something else.
  public CaseFacts withWaits(List<String> other) {
    return new CaseFacts(attributes, problems, other);
  }

  /// Whether there is nothing to store.
  public boolean isEmpty() {
    return attributes.isEmpty() && problems.isEmpty() && waits.isEmpty();
  }

  /// The entries of the index, each once.
  public List<Entry> entries() {
    if (attributes.isEmpty() && waits.isEmpty()) {
      return List.of();
    }
    List<Entry> entries = new ArrayList<>(attributes.size() + waits.size());
    attributes.forEach((name, value) -> entries.add(new Entry(name, value)));
    waits.forEach(name -> entries.add(Entry.waitingFor(name)));
    return entries;
  }

  /// A value under a name.
  public record Entry(String name, AttributeValue value) {
    /// The entry of a case that waits for a task, a place or a set of instances.
    static Entry waitingFor(String what) {
      return new Entry(WAITING_FOR, new AttributeValue.Text(what));
    }
  }

  /// Writes the facts so that [#read] reads them.
  public void write(Encoder out) {
    out.natural(attributes.size());
    attributes.forEach((name, value) -> {
      out.text(name);
      value.write(out);
    });
    out.natural(problems.size());
    problems.forEach((name, why) -> {
      out.text(name);
      out.text(why);
    });
    out.natural(waits.size());
    waits.forEach(out::text);
  }

  /// Reads facts. Throws `DamagedBytes` if the bytes are not those of facts.
  public static CaseFacts read(Decoder in) {
    SortedMap<String, AttributeValue> attributes = new TreeMap<>();
    for (int left = in.count(); left > 0; left--) {
      String name = in.text();
      attributes.put(name, AttributeValue.read(in));
    }
    SortedMap<String, String> problems = new TreeMap<>();
    for (int left = in.count(); left > 0; left--) {
      String name = in.text();
      problems.put(name, in.text());
    }
    List<String> waits = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      waits.add(in.text());
    }
    return new CaseFacts(attributes, problems, waits);
  }
}
