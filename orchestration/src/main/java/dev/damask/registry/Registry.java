package dev.damask.registry;

import dev.damask.check.Diagnostic;
import dev.damask.graph.GraphDocument;
import dev.damask.graph.OrchestrationCheck;
import dev.damask.registry.RegistryEntry.Kind;
import dev.damask.rule.RuleDocument;
import dev.damask.source.Address;
import dev.damask.source.Rejected;
import dev.damask.store.RowChangedException;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Graphs and rules with versions, hashes, owners and executors. Every method may be called from
/// any thread; what it has returned to its caller is durable.
public final class Registry {
  private static final System.Logger LOG = System.getLogger(Registry.class.getName());
  private static final String ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

  private final RegistryTable table;
  private final LongSupplier clock;
  private final RegistryIndex index;
  private volatile Consumer<RegistryEntry> others = _ -> {}; // written when sessions are opened
  private volatile String stamp = ""; // written by the thread that polls

  private Registry(RegistryTable table, LongSupplier clock) {
    this.table = table;
    this.clock = clock;
    this.index = new RegistryIndex(table.load());
  }

  /// Opens the registry of a store. Copies the registry cases of a store of format 4 to the table.
  ///
  /// @param clock returns the time of changes in milliseconds
  public static Registry open(Store store, LongSupplier clock) {
    RegistryTable table = new RegistryTable(store);
    List<RegistryTable.Change> old = RegistryCases.load(store);
    if (!old.isEmpty()) {
      table.write(old);
    }
    return new Registry(table, clock);
  }

  /// Puts a graph under its own id; only its owner may change it. A graph of the same canonical
  /// form keeps its version.
  public RegistryEntry putGraph(String caller, String text) {
    GraphDocument graph = GraphDocument.read(text);
    List<Diagnostic> errors =
        OrchestrationCheck.joins(graph).stream().filter(Diagnostic::isError).toList();
    if (!errors.isEmpty()) {
      throw new Rejected("graph " + graph.id(), errors);
    }
    return put(caller, Kind.GRAPH, graph.id(), new Texts(text, graph.hash(), graph.rawHash()));
  }

  /// Puts a rule under a key; only its owner may change it. A rule of the same canonical form keeps
  /// its version.
  public RegistryEntry putRule(String caller, String key, String text) {
    if (key.isBlank()) {
      throw new IllegalArgumentException("the key of a rule must not be empty");
    }
    RuleDocument rule = RuleDocument.read(text);
    return put(caller, Kind.RULE, key, new Texts(text, rule.hash(), rule.rawHash()));
  }

  /// Stores a graph, unless the registry has it in the same canonical form from any owner.
  public RegistryEntry ensureGraph(String caller, String text) {
    GraphDocument graph = GraphDocument.read(text);
    return same(Kind.GRAPH, graph.id(), graph.hash()).orElseGet(() -> putGraph(caller, text));
  }

  /// Stores a rule, unless the registry has it in the same canonical form from any owner.
  public RegistryEntry ensureRule(String caller, String key, String text) {
    return same(Kind.RULE, key, RuleDocument.read(text).hash())
        .orElseGet(() -> putRule(caller, key, text));
  }

  private Optional<RegistryEntry> same(Kind kind, String key, String hash) {
    return find(kind, key).filter(entry -> entry.hash().equals(hash));
  }

  private record Texts(String text, String hash, String rawHash) {}

  private RegistryEntry put(String caller, Kind kind, String key, Texts texts) {
    requireName(caller);
    return changed(kind, key, () -> putOnce(caller, kind, key, texts));
  }

  private RegistryEntry putOnce(String caller, Kind kind, String key, Texts texts) {
    RegistryEntry old = entry(kind, key);
    if (old != null && !Address.same(old.owner(), caller)) {
      throw new IllegalStateException(
          "only the owner may change " + key + "; " + caller + " is not the owner");
    }
    if (old != null && !old.isDeleted() && old.hash().equals(texts.hash())) {
      return old;
    }
    long version = old == null || old.isDeleted() ? 1 : old.version() + 1;
    return change(
        new RegistryEntry(
            kind,
            key,
            texts.text(),
            version,
            texts.hash(),
            texts.rawHash(),
            clock.getAsLong(),
            caller,
            old == null ? List.of() : old.executors()));
  }

  /// Changes an entry as the store has it now. If another node changes it at the same time, the
  /// change is decided again.
  private synchronized RegistryEntry changed(
      Kind kind, String key, Supplier<RegistryEntry> change) {
    while (true) {
      refresh(kind, key);
      try {
        return change.get();
      } catch (RowChangedException e) {
        LOG.log(System.Logger.Level.DEBUG, "{0} was changed by another node", key);
      }
    }
  }

  /// Reads what other nodes have changed of an entry. Does nothing if no other node can.
  public synchronized void refresh(Kind kind, String key) {
    if (table.isShared()) {
      RegistryTable.Change known = index.get(kind, key);
      table.after(kind, key, known == null ? 0 : known.number()).forEach(this::put);
    }
  }

  /// Reads what other nodes have changed of all entries.
  private synchronized void refreshAll() {
    for (RegistryTable.Change change : table.load()) {
      RegistryTable.Change known = index.get(change.entry().kind(), change.entry().key());
      if (known == null || known.number() < change.number()) {
        put(change);
      }
    }
  }

  private void put(RegistryTable.Change change) {
    index.put(change);
    if (change.entry().kind() == Kind.GRAPH && !change.entry().isDeleted()) {
      others.accept(change.entry());
    }
  }

  /// Calls an action with each graph that another node puts from now on, soon after it is durable.
  /// Does nothing on a store that no other node shares.
  public void whenOthersChange(Consumer<RegistryEntry> action) {
    others = action;
    if (table.isShared()) {
      refreshAll();
    }
  }

  /// Looks for changes of other nodes, and returns when there is nothing more to read.
  public void poll() {
    if (table.isShared()) {
      String now = table.stamp();
      if (!now.equals(stamp)) {
        stamp = now; // before the changes: those that come later have another one
        refreshAll();
      }
    }
  }

  private RegistryEntry change(RegistryEntry entry) {
    RegistryTable.Change before = index.get(entry.kind(), entry.key());
    long number = before == null ? 1 : before.number() + 1;
    RegistryTable.Change change = new RegistryTable.Change(number, entry);
    table.write(change);
    index.put(change);
    return entry;
  }

  private @Nullable RegistryEntry entry(Kind kind, String key) {
    RegistryTable.Change change = index.get(kind, key);
    return change == null ? null : change.entry();
  }

  private static void requireName(String name) {
    if (name.isBlank() || name.equals(ZERO_ADDRESS)) {
      throw new IllegalArgumentException("the name of an owner or executor must not be empty");
    }
  }

  /// The entry of a graph or a rule, unless there is none or it was deleted.
  public Optional<RegistryEntry> find(Kind kind, String key) {
    return Optional.ofNullable(entry(kind, key)).filter(found -> !found.isDeleted());
  }

  /// Returns the text of the rule with this key; null if there is none.
  public @Nullable String ruleText(String key) {
    String known = index.text(key);
    if (known == null) {
      refresh(Kind.RULE, key);
      return index.text(key);
    }
    return known;
  }

  /// Returns the text of the version with this hash of the rule with this key, also if it was
  /// replaced or deleted; null if there was none.
  public @Nullable String ruleText(String key, String hash) {
    String known = index.text(key, hash);
    if (known == null) {
      refresh(Kind.RULE, key);
      return index.text(key, hash);
    }
    return known;
  }

  /// Returns every version of every graph, including those that were replaced or deleted.
  public List<RegistryEntry> graphVersions() {
    return index.graphs();
  }

  /// Everything that happened to an entry, in order, deletions included.
  public List<RegistryEvent> events(Kind kind, String key) {
    return index.events(kind, key);
  }

  /// All entries of a kind, by key.
  public List<RegistryEntry> list(Kind kind) {
    return index.all().stream()
        .filter(entry -> entry.kind() == kind && !entry.isDeleted())
        .sorted(java.util.Comparator.comparing(RegistryEntry::key))
        .toList();
  }

  /// Deletes an existing entry; its owner stays known.
  public void delete(String caller, Kind kind, String key) {
    changed(kind, key, () -> change(owned(caller, kind, key).deleted(clock.getAsLong())));
  }

  /// Transfers an entry to another owner, who is then no longer an executor.
  public RegistryEntry transfer(String caller, Kind kind, String key, String newOwner) {
    requireName(newOwner);
    return changed(
        kind, key, () -> change(owned(caller, kind, key).withOwner(newOwner, clock.getAsLong())));
  }

  /// Allows an executor to start sessions of a graph. Repeating the call changes nothing.
  public RegistryEntry addExecutor(String caller, String graph, String executor) {
    requireName(executor);
    return changed(Kind.GRAPH, graph, () -> added(caller, graph, executor));
  }

  private RegistryEntry added(String caller, String graph, String executor) {
    RegistryEntry entry = owned(caller, Kind.GRAPH, graph);
    if (Address.same(entry.owner(), executor)) {
      throw new IllegalArgumentException("the owner is always an executor; do not add it");
    }
    if (Address.isAmong(entry.executors(), executor)) {
      return entry;
    }
    List<String> all = new ArrayList<>(entry.executors());
    all.add(executor);
    return change(entry.withExecutors(all, clock.getAsLong()));
  }

  /// Removes an executor. Changes nothing if there is no such executor.
  public RegistryEntry removeExecutor(String caller, String graph, String executor) {
    return changed(Kind.GRAPH, graph, () -> removed(caller, graph, executor));
  }

  private RegistryEntry removed(String caller, String graph, String executor) {
    RegistryEntry entry = owned(caller, Kind.GRAPH, graph);
    if (!Address.isAmong(entry.executors(), executor)) {
      return entry;
    }
    List<String> rest = entry.executors().stream().filter(e -> !Address.same(e, executor)).toList();
    return change(entry.withExecutors(rest, clock.getAsLong()));
  }

  private RegistryEntry owned(String caller, Kind kind, String key) {
    RegistryEntry entry =
        find(kind, key)
            .orElseThrow(() -> new IllegalArgumentException("there is no " + key + " to change"));
    if (!Address.same(entry.owner(), caller)) {
      throw new IllegalStateException(
          "only the owner may change " + key + "; " + caller + " is not the owner");
    }
    return entry;
  }
}
