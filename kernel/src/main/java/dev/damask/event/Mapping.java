package dev.damask.event;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// The new names that one version of a workflow has in another. Other names stay the same.
///
/// @param tasks names of tasks
/// @param scopes names of cancel scopes and sets of instances
/// @param places names of places
/// @param definitions names of definitions
public record Mapping(
    SortedMap<String, String> tasks,
    SortedMap<String, String> scopes,
    SortedMap<String, String> places,
    SortedMap<String, String> definitions) {
  /// Renames nothing.
  public static final Mapping NONE = new Mapping(none(), none(), none(), none());

  public Mapping {
    tasks = Collections.unmodifiableSortedMap(new TreeMap<>(tasks));
    scopes = Collections.unmodifiableSortedMap(new TreeMap<>(scopes));
    places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
    definitions = Collections.unmodifiableSortedMap(new TreeMap<>(definitions));
  }

  /// Returns this mapping with the new name of a task.
  public Mapping task(String before, String after) {
    return new Mapping(with(tasks, before, after), scopes, places, definitions);
  }

  /// Returns this mapping with the new name of a cancel scope or set of instances.
  public Mapping scope(String before, String after) {
    return new Mapping(tasks, with(scopes, before, after), places, definitions);
  }

  /// Returns this mapping with the new name of a place.
  public Mapping place(String before, String after) {
    return new Mapping(tasks, scopes, with(places, before, after), definitions);
  }

  /// Returns this mapping with the new name of a definition.
  public Mapping definition(String before, String after) {
    return new Mapping(tasks, scopes, places, with(definitions, before, after));
  }

  /// Returns the new name of a name.
  public static String renamed(SortedMap<String, String> names, String name) {
    return names.getOrDefault(name, name);
  }

  private static SortedMap<String, String> none() {
    return Collections.emptySortedMap();
  }

  private static SortedMap<String, String> with(
      SortedMap<String, String> names, String before, String after) {
    TreeMap<String, String> more = new TreeMap<>(names);
    more.put(before, after);
    return more;
  }
}
