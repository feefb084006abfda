package dev.damask.program;

import dev.damask.term.TermPath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The constructs of a program as a tree, as the compiler emitted them.
///
/// A frame is the activation of a construct. So the tree says, for every address, in which kind of
/// frame a token that is there must be: its [Home]. Constructs that open no frame (sequences,
/// choices, loops, handlers of a scope) share the home they stand in.
public final class ConstructTree {
  private static final String UNDO = ".undo";
  private static final String BODY = ".do";

  private final List<Construct> constructs;
  private final int[] addresses;
  private final Construct[] owners;
  private final List<Home> homes = new ArrayList<>();
  private final List<List<Construct>> items = new ArrayList<>();
  private final Map<Integer, Home> definitions = new TreeMap<>();
  private final Map<Integer, Home> undos = new TreeMap<>();
  private final Map<Long, Construct> byPool = new TreeMap<>();

  /// One construct.
  public static final class Construct {
    private final TermPath path;

    /// The construct it is written in; null for the body of the case, a definition or an undo.
    private final @Nullable Construct parent;

    /// Its position among the parts of its parent.
    private final int number;

    /// The body it is; only used where it has no parent.
    private final Body body;

    private final List<Construct> parts = new ArrayList<>();
    private int address = -1;
    private int operation = -1;
    private int operand = -1;
    private boolean countsRounds;
    private @Nullable Home home;
    private int slots;

    private Construct(TermPath path, @Nullable Construct parent, Body body) {
      this.path = path;
      this.parent = parent;
      this.number = parent == null ? 0 : parent.parts.size();
      this.body = body;
    }

    /// Where it is written.
    public TermPath path() {
      return path;
    }

    /// The address of its first instruction.
    public int address() {
      return address;
    }

    /// What it is: the operation of its first instruction.
    public int operation() {
      return operation;
    }

    /// The entry of its pool that it refers to.
    public int operand() {
      return operand;
    }

    /// What is written directly in it.
    public List<Construct> parts() {
      return Collections.unmodifiableList(parts);
    }

    /// How many count loops around it keep their rounds in the token that is here.
    public int slots() {
      return slots;
    }

    /// The kind of frame that its tokens are in.
    public Home home() {
      return Objects.requireNonNull(home);
    }
  }

  /// Where tokens live.
  public enum Place {
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
  public record Home(int number, Place place, @Nullable Construct within, int index) {
    /// The construct that opens it.
    public Construct construct() {
      return Objects.requireNonNull(within);
    }
  }

  private record Body(Place place, int index) {}

  /// Collects constructs while the compiler emits their instructions.
  public static final class Builder {
    private final List<Construct> constructs = new ArrayList<>();
    private final List<Construct> owners = new ArrayList<>();
    private final IdentityHashMap<TermPath, Construct> known = new IdentityHashMap<>();
    private int[] addresses = new int[32];
    private Body body = new Body(Place.CASE, 0);

    /// Begins the body of the case, of a definition or of an undo.
    ///
    /// @param index the definition, or the task undone
    public void begin(Place place, int index) {
      body = new Body(place, index);
    }

    /// Adds an instruction to the construct of a path; all instructions of a term share one path.
    public void add(TermPath path, int address, int operation, int... operands) {
      Construct construct = construct(path);
      if (construct.address < 0) {
        int at = operation == Code.CANCEL_SCOPE ? 1 : 0;
        construct.address = address;
        construct.operation = operation;
        construct.operand = at < operands.length ? operands[at] : -1;
        construct.countsRounds = operation == Code.LOOP_CHECK && operands[0] == Code.LOOP_COUNT;
      }
      if (owners.size() == addresses.length) {
        addresses = Arrays.copyOf(addresses, addresses.length * 2);
      }
      addresses[owners.size()] = address;
      owners.add(construct);
    }

    /// The construct of a path, made together with those around it that have no instruction yet.
    private Construct construct(TermPath path) {
      Deque<TermPath> missing = new ArrayDeque<>();
      TermPath next = path;
      Construct around = known.get(next);
      while (around == null && next != null) {
        missing.push(next);
        next = next.step().equals(UNDO) ? null : next.parent();
        around = next == null ? null : known.get(next);
      }
      while (!missing.isEmpty()) {
        TermPath each = missing.pop();
        Construct construct = new Construct(each, around, body);
        if (around != null) {
          around.parts.add(construct);
        }
        constructs.add(construct);
        known.put(each, construct);
        around = construct;
      }
      return Objects.requireNonNull(around);
    }

    /// Returns the tree of everything that was added.
    public ConstructTree build() {
      return new ConstructTree(this);
    }
  }

  private ConstructTree(Builder builder) {
    this.constructs = List.copyOf(builder.constructs);
    this.owners = builder.owners.toArray(Construct[]::new);
    this.addresses = Arrays.copyOf(builder.addresses, owners.length);
    constructs.forEach(this::settle);
  }

  /// Finds where the tokens of a construct live; its parent has been settled before.
  private void settle(Construct construct) {
    Construct parent = construct.parent;
    if (parent == null) {
      construct.home = body(construct.body);
    } else {
      Home own =
          switch (parent.operation) {
            case Code.PAR_FORK -> open(Place.BRANCH, parent, construct.number);
            case Code.MI_SPAWN -> open(Place.INSTANCE, parent, 0);
            case Code.NET_ENTER -> open(Place.NODE, parent, construct.number);
            case Code.CANCEL_SCOPE ->
                construct.path.step().equals(BODY) ? open(Place.REGION, parent, 0) : parent.home();
            default -> parent.home();
          };
      construct.home = own;
      // A scope's token keeps its counters; everything else that opens a frame starts again.
      boolean keeps = own == parent.home() || own.place() == Place.REGION;
      construct.slots = keeps ? parent.slots + (parent.countsRounds ? 1 : 0) : 0;
    }
    items.get(construct.home().number()).add(construct);
    switch (construct.operation) {
      case Code.CANCEL_SCOPE, Code.PAR_FORK, Code.MI_SPAWN, Code.NET_ENTER ->
          byPool.put(key(construct.operation, construct.operand), construct);
      case Code.TASK_EXEC, Code.EFFECT_YIELD ->
          byPool.put(key(Code.TASK_EXEC, construct.operand), construct);
      default -> {}
    }
  }

  private Home body(Body body) {
    Home home = open(body.place(), null, body.index());
    switch (body.place()) {
      case DEFINITION -> definitions.put(body.index(), home);
      case UNDO -> undos.put(body.index(), home);
      default -> {}
    }
    return home;
  }

  private Home open(Place place, @Nullable Construct within, int index) {
    Home home = new Home(homes.size(), place, within, index);
    homes.add(home);
    items.add(new ArrayList<>());
    return home;
  }

  private static long key(int operation, int index) {
    return (long) operation << 32 | index;
  }

  /// The construct that the instruction at an address belongs to. Throws `IllegalStateException`
  /// where no instruction begins.
  public Construct at(int address) {
    int found = Arrays.binarySearch(addresses, address);
    if (found < 0) {
      throw new IllegalStateException("no instruction begins at " + address);
    }
    return owners[found];
  }

  /// The construct that a frame of a kind activates.
  public Construct of(int operation, int index) {
    return Objects.requireNonNull(byPool.get(key(operation, index)));
  }

  /// The task of an index.
  public Construct task(int index) {
    return of(Code.TASK_EXEC, index);
  }

  /// The kind of the outermost frame.
  public Home root() {
    return homes.getFirst();
  }

  /// The home of the body of a definition.
  public Home definition(int index) {
    return Objects.requireNonNull(definitions.get(index));
  }

  /// The undo of a task; null when it has none.
  public @Nullable Home undo(int task) {
    return undos.get(task);
  }

  /// Everything written directly in a home, in the order it is written.
  public List<Construct> items(Home home) {
    return Collections.unmodifiableList(items.get(home.number()));
  }

  /// Everything written in the program.
  public List<Construct> constructs() {
    return constructs;
  }

  /// The home that a construct opens for one of its parts.
  public static Home inside(Construct construct, int number) {
    return construct.parts.get(number).home();
  }
}
