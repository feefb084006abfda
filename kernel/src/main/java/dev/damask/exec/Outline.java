package dev.damask.exec;

import dev.damask.program.Code;
import dev.damask.program.Program;
import dev.damask.term.TermPath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The constructs of a program as a tree, read back from its raw instructions.
///
/// A frame is the activation of a construct. So the outline says, for every address, in which kind
/// of frame a token that stands there must be: its [Home]. Constructs that open no frame
/// (sequences, choices, loops, handlers of a scope) share the home they stand in.
final class Outline {
  private static final String UNDO = ".undo";
  private static final String BODY = ".do";

  final Program program;
  private final int[] code;
  private final List<Part> parts = new ArrayList<>();
  private final List<Home> homes = new ArrayList<>();
  private final List<List<Part>> items = new ArrayList<>();
  private final @Nullable Part[] byAddress;
  private final Map<Integer, Home> definitions = new TreeMap<>();
  private final Map<Integer, Home> undos = new TreeMap<>();
  private final Map<Long, Part> byPool = new TreeMap<>();

  /// The definition or the undone task whose code starts at an address.
  private final Map<Integer, Integer> bodies = new TreeMap<>();

  /// One construct.
  static final class Part {
    final TermPath path;

    /// The construct it is written in; null for the body of the case, a definition or an undo.
    final @Nullable Part parent;

    /// Its position among the parts of its parent.
    final int number;

    /// Where the unit it belongs to starts; only used for bodies.
    final int start;

    /// The address of its first instruction, which says what it is.
    int address = -1;

    final List<Part> parts = new ArrayList<>();
    @Nullable Home home;

    /// How many count loops around it keep their rounds in the token that is here.
    int slots;

    Part(TermPath path, @Nullable Part parent, int number, int start) {
      this.path = path;
      this.parent = parent;
      this.number = number;
      this.start = start;
    }

    Home home() {
      return java.util.Objects.requireNonNull(home);
    }
  }

  /// Where tokens live.
  enum Place {
    CASE,
    DEFINITION,
    UNDO,
    BRANCH,
    REGION,
    INSTANCE,
    NODE
  }

  /// A kind of frame: the text it is the activation of.
  ///
  /// @param within the construct that opens it; null for bodies
  /// @param index the definition, the task undone, the branch or the node
  record Home(int number, Place place, @Nullable Part within, int index) {
    Part construct() {
      return java.util.Objects.requireNonNull(within);
    }
  }

  Outline(Program program) {
    this.program = program;
    this.code = program.raw().code();
    this.byAddress = new Part[code.length];
    IdentityHashMap<TermPath, Part> known = new IdentityHashMap<>();
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      Part part = part(known, program.source().at(at), at);
      byAddress[at] = part;
      if (part.address < 0) {
        part.address = at;
      }
    }
    for (int i = 0; i < program.pools().entries().length; i++) {
      bodies.put(program.pools().entries()[i].address(), i);
    }
    for (int i = 0; i < program.pools().tasks().length; i++) {
      bodies.put(program.pools().tasks()[i].undo(), i);
    }
    parts.forEach(this::settle);
  }

  /// The part of a path (all instructions of a term share one), made together with those around it
  /// that have no instruction yet.
  private Part part(IdentityHashMap<TermPath, Part> known, TermPath path, int at) {
    Deque<TermPath> missing = new ArrayDeque<>();
    TermPath next = path;
    Part around = known.get(next);
    while (around == null && next != null) {
      missing.push(next);
      next = next.step().equals(UNDO) ? null : next.parent();
      around = next == null ? null : known.get(next);
    }
    while (!missing.isEmpty()) {
      TermPath each = missing.pop();
      Part part = new Part(each, around, around == null ? 0 : around.parts.size(), at);
      if (around != null) {
        around.parts.add(part);
      }
      parts.add(part);
      known.put(each, part);
      around = part;
    }
    return java.util.Objects.requireNonNull(around);
  }

  /// Finds where the tokens of a part live; its parent has been settled before.
  private void settle(Part part) {
    Part parent = part.parent;
    if (parent == null) {
      part.home = body(part);
    } else {
      Home own =
          switch (operation(parent)) {
            case Code.PAR_FORK -> open(Place.BRANCH, parent, part.number);
            case Code.MI_SPAWN -> open(Place.INSTANCE, parent, 0);
            case Code.NET_ENTER -> open(Place.NODE, parent, part.number);
            case Code.CANCEL_SCOPE ->
                part.path.step().equals(BODY) ? open(Place.REGION, parent, 0) : parent.home();
            default -> parent.home();
          };
      part.home = own;
      // A scope lets its token keep its counters; everything else that opens a frame starts anew.
      boolean keeps = own == parent.home() || own.place() == Place.REGION;
      part.slots = keeps ? parent.slots + (isCountLoop(parent) ? 1 : 0) : 0;
    }
    items.get(part.home().number()).add(part);
    switch (operation(part)) {
      case Code.CANCEL_SCOPE, Code.PAR_FORK, Code.MI_SPAWN, Code.NET_ENTER ->
          byPool.put(key(operation(part), operand(part)), part);
      case Code.TASK_EXEC, Code.EFFECT_YIELD ->
          byPool.put(key(Code.TASK_EXEC, operand(part)), part);
      default -> {}
    }
  }

  private Home body(Part part) {
    if (part.start == 0) {
      return open(Place.CASE, null, 0);
    }
    boolean undo = part.path.step().equals(UNDO);
    int index = java.util.Objects.requireNonNull(bodies.get(part.start));
    Home home = open(undo ? Place.UNDO : Place.DEFINITION, null, index);
    (undo ? undos : definitions).put(index, home);
    return home;
  }

  private Home open(Place place, @Nullable Part within, int index) {
    Home home = new Home(homes.size(), place, within, index);
    homes.add(home);
    items.add(new ArrayList<>());
    return home;
  }

  private static long key(int operation, int index) {
    return (long) operation << 32 | index;
  }

  /// What a part is: the operation of its first instruction.
  int operation(Part part) {
    return code[part.address];
  }

  /// The entry of its pool a part refers to.
  int operand(Part part) {
    return code[part.address + (operation(part) == Code.CANCEL_SCOPE ? 2 : 1)];
  }

  boolean isCountLoop(Part part) {
    return operation(part) == Code.LOOP_CHECK && code[part.address + 1] == Code.LOOP_COUNT;
  }

  /// The part an instruction belongs to.
  Part at(int address) {
    return java.util.Objects.requireNonNull(byAddress[address]);
  }

  /// The construct that a frame of a kind activates.
  Part of(int operation, int index) {
    return java.util.Objects.requireNonNull(byPool.get(key(operation, index)));
  }

  /// The task of an index.
  Part task(int index) {
    return of(Code.TASK_EXEC, index);
  }

  Home home(int number) {
    return homes.get(number);
  }

  Home definition(int index) {
    return java.util.Objects.requireNonNull(definitions.get(index));
  }

  /// The undo of a task; null when it has none.
  @Nullable Home undo(int task) {
    return undos.get(task);
  }

  /// Everything written directly in a home, in the order it is written.
  List<Part> items(Home home) {
    return items.get(home.number());
  }

  /// Everything written in the program.
  List<Part> parts() {
    return parts;
  }

  /// The home that a construct opens for one of its parts.
  Home inside(Part construct, int number) {
    return construct.parts.get(number).home();
  }
}
