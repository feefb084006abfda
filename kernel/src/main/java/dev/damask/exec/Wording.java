package dev.damask.exec;

import dev.damask.exec.Outline.Part;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/// What the constructs of one version are called, in the names of the new one.
final class Wording {
  final Outline outline;
  private final Program.Pools pools;
  private final Mapping mapping;
  private final TreeMap<Integer, TreeSet<String>> known = new TreeMap<>();
  private final TreeMap<Integer, String> labels = new TreeMap<>();

  Wording(Outline outline, Mapping mapping) {
    this.outline = outline;
    this.pools = outline.program.pools();
    this.mapping = mapping;
  }

  /// What a construct is and how it is called, such as `task ship` or `block`.
  String label(Part part) {
    return labels.computeIfAbsent(part.address, address -> spell(part));
  }

  private String spell(Part part) {
    int index = outline.operand(part);
    return switch (outline.operation(part)) {
      case Code.TASK_EXEC, Code.EFFECT_YIELD -> task(pools.tasks()[index]);
      case Code.PAR_FORK -> "block";
      case Code.XOR_CHOOSE -> "choice";
      case Code.LOOP_CHECK -> "loop";
      case Code.CANCEL_SCOPE -> "scope " + scope(pools.regions()[index].name());
      case Code.MI_SPAWN -> "instances " + scope(pools.instances()[index].name());
      case Code.AWAIT -> "wait";
      case Code.EMIT -> "emit " + emission(pools.emissions()[index]);
      case Code.KILL -> {
        int name = pools.kills()[index].name();
        yield "kill " + (name < 0 ? "case" : scope(name));
      }
      case Code.CALL -> "call of " + definition(index);
      case Code.NET_ENTER -> "graph";
      default -> "sequence";
    };
  }

  /// Whether a name tells a construct from others of its kind.
  boolean isNamed(Part part) {
    return switch (outline.operation(part)) {
      case Code.PAR_FORK, Code.XOR_CHOOSE, Code.LOOP_CHECK, Code.AWAIT, Code.NET_ENTER -> false;
      default -> true;
    };
  }

  /// Whether a construct helps to find its neighbours: it does something of its own.
  boolean isLandmark(Part part) {
    return switch (outline.operation(part)) {
      case Code.SEQ_ENTER, Code.XOR_CHOOSE, Code.LOOP_CHECK -> false;
      default -> true;
    };
  }

  private String task(Pool.Task task) {
    return task.name().isEmpty()
        ? "step {" + task.text() + "}"
        : "task " + Mapping.renamed(mapping.tasks(), task.name());
  }

  private String scope(int name) {
    return Mapping.renamed(mapping.scopes(), pools.names()[name]);
  }

  String definition(int index) {
    return Mapping.renamed(mapping.definitions(), pools.entries()[index].name());
  }

  private String emission(Pool.Emission emission) {
    return switch (emission.kind()) {
      case PLACE -> place(emission.target());
      case ADD -> scope(emission.target()) + ".add";
      case CLOSE -> scope(emission.target()) + ".close";
    };
  }

  /// A place with the definition it belongs to, which tells it from others of its name.
  String place(int index) {
    Pool.PlaceSlot slot = pools.places()[index];
    String name = Mapping.renamed(mapping.places(), slot.place().name());
    return slot.definition() < 0 ? name : name + " of " + definition(slot.definition());
  }

  List<String> places(int[] indexes) {
    List<String> names = new ArrayList<>();
    for (int index : indexes) {
      names.add(place(index));
    }
    return names;
  }

  /// What a construct without a name says itself, for telling it from others like it.
  String words(Part part) {
    int index = outline.operand(part);
    return switch (outline.operation(part)) {
      case Code.AWAIT -> {
        List<String> words = new ArrayList<>();
        for (Pool.Alternative each : pools.awaits()[index].alternatives()) {
          words.add(each.kind() + " " + places(each.places()) + " " + each.millis());
        }
        yield words.toString();
      }
      case Code.PAR_FORK -> pools.forks()[index].targets().length + " branches";
      case Code.NET_ENTER -> nodes(index).toString();
      default -> label(part);
    };
  }

  private List<String> nodes(int net) {
    List<String> ids = new ArrayList<>();
    for (Pool.Node node : pools.nets()[net].nodes()) {
      ids.add(node.id());
    }
    return ids;
  }

  /// Every name that is written in a construct.
  TreeSet<String> names(Part part) {
    return known.computeIfAbsent(part.address, address -> collect(part));
  }

  private TreeSet<String> collect(Part root) {
    TreeSet<String> names = new TreeSet<>();
    Deque<Part> open = new ArrayDeque<>();
    open.push(root);
    while (!open.isEmpty()) {
      Part part = open.pop();
      part.parts.forEach(open::push);
      int operation = outline.operation(part);
      if (operation == Code.AWAIT) {
        for (Pool.Alternative each : pools.awaits()[outline.operand(part)].alternatives()) {
          names.addAll(places(each.places()));
        }
      } else if (operation == Code.NET_ENTER) {
        nodes(outline.operand(part)).forEach(id -> names.add("node " + id));
      } else if (isNamed(part) && isLandmark(part)) {
        names.add(label(part));
      }
    }
    return names;
  }
}
