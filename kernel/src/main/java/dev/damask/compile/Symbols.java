package dev.damask.compile;

import dev.damask.program.Pool;
import dev.damask.term.Place;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// The names of a workflow and what they stand for: places, scopes, definitions, units.
///
/// A unit is the case, a set of instances, or a definition: the parts of the text within which a
/// kill looks for its target. Units are numbered in the order they are written.
final class Symbols {
  private final List<Pool.PlaceSlot> places = new ArrayList<>();
  private final Map<String, Integer> placeOfCase = new HashMap<>();
  private final Map<String, Integer> placeOfDefinition = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> nameIndex = new HashMap<>();
  private final List<TreeSet<Integer>> unitsOfName = new ArrayList<>();
  private final List<Integer> unitEnds = new ArrayList<>();
  private final Deque<Integer> openUnits = new ArrayDeque<>();

  void declare(Place place) {
    placeOfCase.put(place.name(), places.size());
    places.add(new Pool.PlaceSlot(place, -1, places.size()));
  }

  void declareLocal(Place place, int definition, int slot) {
    placeOfDefinition.put(definition + "/" + place.name(), places.size());
    places.add(new Pool.PlaceSlot(place, definition, slot));
  }

  /// The place a name means inside a definition, or in the case when the definition is -1. A place
  /// that is used and not declared is internal, persistent and empty.
  int place(String name, int definition) {
    Integer local = placeOfDefinition.get(definition + "/" + name);
    if (local != null) {
      return local;
    }
    Integer declared = placeOfCase.get(name);
    if (declared == null) {
      declare(Place.internal(name));
      return places.size() - 1;
    }
    return declared;
  }

  int name(String name) {
    Integer known = nameIndex.get(name);
    if (known != null) {
      return known;
    }
    nameIndex.put(name, names.size());
    names.add(name);
    unitsOfName.add(new TreeSet<>());
    return names.size() - 1;
  }

  /// Notes that a region or set of instances of a name is in the innermost open unit.
  int nameHere(String name) {
    int index = name(name);
    unitsOfName.get(index).add(openUnits.peek());
    return index;
  }

  int openUnit() {
    unitEnds.add(unitEnds.size());
    openUnits.push(unitEnds.size() - 1);
    return unitEnds.size() - 1;
  }

  void closeUnit() {
    unitEnds.set(openUnits.pop(), unitEnds.size() - 1);
  }

  Pool.PlaceSlot[] places() {
    return places.toArray(Pool.PlaceSlot[]::new);
  }

  String[] names() {
    return names.toArray(String[]::new);
  }

  int[] unitEnds() {
    return unitEnds.stream().mapToInt(Integer::intValue).toArray();
  }

  int[][] unitsOfName() {
    return unitsOfName.stream()
        .map(units -> units.stream().mapToInt(Integer::intValue).toArray())
        .toArray(int[][]::new);
  }
}
