package dev.damask.cases;

import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.effect.EffectHandler;
import dev.damask.family.ChildCase;
import dev.damask.family.ChildRequest;
import dev.damask.intake.JoinCheck;
import dev.damask.intake.Replies;
import dev.damask.ops.KeptCases;
import dev.damask.ops.MissingProgram;
import dev.damask.ops.ProgramDescriptions;
import dev.damask.ops.SignatureChange;
import dev.damask.ops.SignatureRows;
import dev.damask.ops.SourceReader;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import dev.damask.term.Attribute;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The programs an engine can run, by hash and by the name of their workflow. Those that came from
/// documents are read from the store when a case asks for them.
final class Programs implements ChildRequest.Programs {
  private record Entry(WorkflowDefinition workflow, Program program) {}

  private final Store store;
  private final SourceReader reader;
  private final Map<String, EffectHandler> handlers;
  private final ProgramDescriptions descriptions;
  private final Map<ProgramHash, Program> byHash = new ConcurrentHashMap<>();
  private final Map<String, Entry> byName = new ConcurrentHashMap<>();

  /// Receives every program that becomes known; written before the first one is registered.
  private volatile Consumer<Program> onNew = program -> {};

  /// Receives every program whose attributes become known; written before the first one is.
  private volatile Consumer<Program> onAttributes = program -> {};

  /// Programs that were not found, so that the store is asked once.
  private final Set<ProgramHash> missing = ConcurrentHashMap.newKeySet();

  Programs(Store store, EngineOptions options) {
    this.store = store;
    this.reader = options.sources();
    this.handlers = options.handlers();
    this.descriptions = new ProgramDescriptions(store);
  }

  /// Knows at once what another engine has compiled.
  Programs(Store store, EngineOptions options, Programs before) {
    this(store, options);
    byHash.putAll(before.byHash);
    byName.putAll(before.byName);
  }

  /// Compiles a workflow unless it is the one that was registered last under its name.
  @Override
  public Program register(WorkflowDefinition workflow) {
    Entry known = byName.get(workflow.name());
    if (known != null && known.workflow == workflow) {
      return known.program;
    }
    Program program = compile(workflow);
    register(workflow, program);
    return program;
  }

  /// Registers a workflow that the caller has compiled.
  void register(WorkflowDefinition workflow, Program program) {
    requireCode(workflow, program);
    String problem = JoinCheck.problem(program, handlers, store.joinsTransactions());
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
    byName.put(workflow.name(), new Entry(workflow, program)); // first: messages may ask for it
    know(program);
    descriptions.known(workflow, program);
    for (Pool.Task task : program.pools().tasks()) {
      if (task.handler() instanceof ChildCase child) {
        register(child.workflow().definition());
      }
    }
  }

  /// Compiles a workflow and registers nothing.
  Program compiled(WorkflowDefinition workflow) {
    Entry known = byName.get(workflow.name());
    return known != null && known.workflow == workflow ? known.program : compile(workflow);
  }

  private static void requireCode(WorkflowDefinition workflow, Program program) {
    if (workflow.declared().isDescription()) {
      throw new IllegalArgumentException(
          "workflow %s: this is the description of program %s and does not contain its code; "
                  .formatted(workflow.name(), program.hash())
              + "register the workflow itself");
    }
  }

  /// The program of a workflow that is about to be started.
  Program started(WorkflowDefinition workflow) {
    Program program = register(workflow);
    descriptions.writeIfLaunched();
    return program;
  }

  /// What the store has of programs besides their code.
  ProgramDescriptions descriptions() {
    return descriptions;
  }

  /// The program of a workflow: the one that was registered last, or the only one that the store
  /// has a document of. Null if there is none, or if the store has several.
  @Override
  public @Nullable Program named(String workflow) {
    Entry known = byName.get(workflow);
    if (known != null) {
      return known.program;
    }
    List<StoredProgram> stored =
        store.programs().stream()
            .filter(each -> each.name().equals(workflow) && each.source().length() > 0)
            .toList();
    return stored.size() == 1 ? find(stored.getFirst().hash()) : null;
  }

  /// The workflow that was registered last under a name; empty if none was.
  Optional<WorkflowDefinition> definition(String workflow) {
    return Optional.ofNullable(byName.get(workflow)).map(Entry::workflow);
  }

  /// Refuses what the check refuses, unless the store holds the program from before the rule: its
  /// cases must continue.
  private Program compile(WorkflowDefinition workflow) {
    try {
      return Compiler.compile(workflow);
    } catch (IllegalArgumentException e) {
      Program stored = compileStored(workflow);
      if (store.program(stored.hash()).isEmpty()) {
        throw e;
      }
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.WARNING, "{0}; its cases continue", e.getMessage());
      return stored;
    }
  }

  private static Program compileStored(WorkflowDefinition workflow) {
    return Compiler.compile(workflow, TermCheck.check(workflow), Diagnostic::isErrorInStore);
  }

  /// Writes down every registered program that the store does not know yet.
  void store() {
    List<StoredProgram> all = new ArrayList<>();
    byHash
        .values()
        .forEach(each -> all.add(new StoredProgram(each.hash(), each.name(), Bytes.of())));
    store(all);
  }

  void store(StoredProgram program) {
    if (program.source().length() > 0) {
      descriptions.document(program.hash(), () -> store(List.of(program)));
    } else {
      store(List.of(program));
      descriptions.writeIfLaunched();
    }
  }

  private void store(List<StoredProgram> programs) {
    List<StoredProgram> unknown = programs.stream().filter(each -> !isStored(each)).toList();
    if (!unknown.isEmpty()) {
      Replies.get(store.commit(CommitBatch.of(unknown)));
    }
  }

  private boolean isStored(StoredProgram program) {
    StoredProgram known = store.program(program.hash()).orElse(null);
    return known != null && (known.equals(program) || program.source().length() == 0);
  }

  /// The handlers of registered workflows whose signature has changed while cases wait.
  List<SignatureChange> signatureChanges(long now) {
    return byName.values().stream()
        .sorted(Comparator.comparing(each -> each.workflow.name()))
        .flatMap(each -> SignatureRows.update(store, each.program, now).stream())
        .toList();
  }

  /// Whether a case has asked for a program in vain; it need not be asked again.
  boolean wasMissed(ProgramHash hash) {
    return missing.remove(hash);
  }

  /// The programs that cases which have not ended wait for and that this engine does not have, in
  /// the order of their workflows. Reads these cases only if the store has a program that is
  /// unknown here.
  List<MissingProgram> missing() {
    if (store.programs().stream().allMatch(each -> byHash.containsKey(each.hash()))) {
      return List.of();
    }
    Map<ProgramHash, MissingProgram> found = new HashMap<>();
    for (CaseStatus status : CaseStatus.values()) {
      if (!status.isEnded() && status != CaseStatus.CORRUPT) {
        countMissing(CaseQuery.ALL.withStatus(status), found);
      }
    }
    return found.values().stream()
        .sorted(
            Comparator.comparing(MissingProgram::workflow)
                .thenComparing(each -> each.program().toString()))
        .toList();
  }

  private void countMissing(CaseQuery query, Map<ProgramHash, MissingProgram> found) {
    String cursor = "";
    do {
      CasePage page = store.list(query.withPage(cursor, CaseQuery.LIMIT_MAX));
      for (CaseRecord record : page.cases()) {
        ProgramHash hash = programOf(record);
        boolean isOwn = !KeptCases.isOfOrchestration(record.caseId());
        if (hash != null && isOwn && find(hash) == null) {
          found.merge(
              hash,
              new MissingProgram(record.workflow(), hash, 1),
              (a, b) -> new MissingProgram(a.workflow(), hash, a.cases() + b.cases()));
        }
      }
      cursor = page.next();
    } while (!cursor.isEmpty());
  }

  /// Null if its state does not contain it.
  private static @Nullable ProgramHash programOf(CaseRecord record) {
    try {
      return record.program();
    } catch (Decoder.DamagedBytes e) {
      return null;
    }
  }

  /// The programs that this engine has.
  Set<ProgramHash> hashes() {
    return Set.copyOf(byHash.keySet());
  }

  /// Null if it is not registered and no document of the store defines it.
  @Nullable Program find(ProgramHash hash) {
    Program known = byHash.get(hash);
    if (known != null || missing.contains(hash)) {
      return known;
    }
    Bytes source = store.program(hash).map(StoredProgram::source).orElse(Bytes.of());
    Program read = source.length() == 0 ? null : read(hash, source);
    if (read == null) {
      missing.add(hash);
      return null;
    }
    know(read);
    return read;
  }

  /// As [#find], and looks again for what was missing: another node may have stored it since.
  @Nullable Program findAgain(ProgramHash hash) {
    missing.remove(hash);
    return find(hash);
  }

  private void know(Program program) {
    Program before = byHash.put(program.hash(), program);
    if (before == null) {
      onNew.accept(program);
    }
    if (before == null || before.attributes() != program.attributes()) {
      onAttributes.accept(program);
    }
  }

  /// The attributes that were declared last for a program.
  List<Attribute> attributes(Program program) {
    return byHash.getOrDefault(program.hash(), program).attributes();
  }

  /// Passes the programs that are known, and every one that becomes known, to a consumer.
  void onNew(Consumer<Program> consumer) {
    onNew = consumer;
    byHash.values().forEach(consumer);
  }

  /// Passes the programs that are known, and every one whose attributes become known, to a
  /// consumer.
  void onAttributes(Consumer<Program> consumer) {
    onAttributes = consumer;
    byHash.values().forEach(consumer);
  }

  /// The scopes of all known programs that name a listener, one sentence each that is not in
  /// `names`.
  List<String> unknownListeners(Set<String> names) {
    return byHash.values().stream()
        .flatMap(program -> unknownListeners(program, names).stream())
        .sorted()
        .toList();
  }

  static List<String> unknownListeners(Program program, Set<String> names) {
    Set<String> found = new TreeSet<>();
    for (Pool.Region region : program.pools().regions()) {
      if (region.listener() != null && !names.contains(region.listener())) {
        found.add(
            "workflow %s: scope %s notifies listener '%s', which is not registered"
                .formatted(
                    program.name(), program.pools().names()[region.name()], region.listener()));
      }
    }
    return List.copyOf(found);
  }

  private @Nullable Program read(ProgramHash hash, Bytes source) {
    try {
      Program program = reader.read(source).orElse(null);
      return program != null && program.hash().equals(hash) ? program : null;
    } catch (RuntimeException e) { // a document of another version; its cases wait, visibly
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.WARNING, "the document of program " + hash + " is not read", e);
      return null;
    }
  }
}
