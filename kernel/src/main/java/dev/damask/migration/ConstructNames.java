package dev.damask.migration;

import dev.damask.event.Mapping;
import dev.damask.program.Code;
import dev.damask.program.ConstructTree.Construct;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.term.Term;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/// The names of one version's constructs, renamed by a mapping.
public final class ConstructNames {
  private final Program.Pools pools;
  private final Mapping mapping;
  private final TreeMap<Integer, TreeSet<String>> known = new TreeMap<>();
  private final TreeMap<Integer, String> labels = new TreeMap<>();

  public ConstructNames(Program program, Mapping mapping) {
    this.pools = program.pools();
    this.mapping = mapping;
  }

  /// Returns the kind and name of a construct, such as `task ship` or `block`.
  public String label(Construct part) {
    return labels.computeIfAbsent(part.address(), address -> spell(part));
  }

  private String spell(Construct part) {
    int index = part.operand();
    return switch (part.operation()) {
      case Code.TASK_EXEC, Code.EFFECT_YIELD -> task(pools.tasks()[index]);
      case Code.PAR_FORK -> "block";
      case Code.XOR_CHOOSE -> "choice";
      case Code.LOOP_CHECK -> "loop";
      case Code.CANCEL_SCOPE -> "scope " + scope(pools.regions()[index].name());
      case Code.MI_SPAWN -> "instances " + scope(pools.instances()[index].name());
      case Code.AWAIT -> "wait";
      case Code.EMIT -> "emit " + emission(pools.emissions()[index]);
      case Code.KILL -> {
        Pool.Kill kill = pools.kills()[index];
        String verb = kill.outcome() == Term.Kill.Outcome.BREAK ? "break " : "kill ";
        yield verb + (kill.name() < 0 ? "case" : scope(kill.name()));
      }
      case Code.CALL -> "call of " + definition(index);
      case Code.NET_ENTER -> "graph";
      default -> "sequence";
    };
  }

  /// Returns whether a construct has a name that distinguishes it from others of its kind.
  public boolean isNamed(Construct part) {
    return switch (part.operation()) {
      case Code.PAR_FORK, Code.XOR_CHOOSE, Code.LOOP_CHECK, Code.AWAIT, Code.NET_ENTER -> false;
      default -> true;
    };
  }

  /// Whether a construct helps to find its neighbours: it does something of its own.
  boolean isLandmark(Construct part) {
    return switch (part.operation()) {
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

  /// Returns the name of a place with the definition it belongs to.
  public String place(int index) {
    Pool.PlaceSlot slot = pools.places()[index];
    String name = Mapping.renamed(mapping.places(), slot.place().name());
    return slot.definition() < 0 ? name : name + " of " + definition(slot.definition());
  }

  public List<String> places(int[] indexes) {
    List<String> names = new ArrayList<>();
    for (int index : indexes) {
      names.add(place(index));
    }
    return names;
  }

  /// What a construct without a name says itself, for telling it from others like it.
  String words(Construct part) {
    int index = part.operand();
    return switch (part.operation()) {
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

  /// What a wait accepts, without its times, which may change.
  TreeSet<String> accepts(Construct part) {
    TreeSet<String> accepted = new TreeSet<>();
    for (Pool.Alternative each : pools.awaits()[part.operand()].alternatives()) {
      switch (each.kind()) {
        case TAKE, TEST -> accepted.add(each.kind() + " " + new TreeSet<>(places(each.places())));
        case EXPIRED -> accepted.add("EXPIRED");
        case AFTER -> {}
      }
    }
    return accepted;
  }

  private List<String> nodes(int net) {
    List<String> ids = new ArrayList<>();
    for (Pool.Node node : pools.nets()[net].nodes()) {
      ids.add(node.id());
    }
    return ids;
  }

  /// Every name that is written in a construct.
  TreeSet<String> names(Construct part) {
    return known.computeIfAbsent(part.address(), address -> collect(part));
  }

  private TreeSet<String> collect(Construct root) {
    TreeSet<String> names = new TreeSet<>();
    Deque<Construct> open = new ArrayDeque<>();
    open.push(root);
    while (!open.isEmpty()) {
      Construct part = open.pop();
      part.parts().forEach(open::push);
      int operation = part.operation();
      if (operation == Code.AWAIT) {
        for (Pool.Alternative each : pools.awaits()[part.operand()].alternatives()) {
          names.addAll(places(each.places()));
        }
      } else if (operation == Code.NET_ENTER) {
        nodes(part.operand()).forEach(id -> names.add("node " + id));
      } else if (isNamed(part) && isLandmark(part)) {
        names.add(label(part));
      }
    }
    return names;
  }
}
