package dev.damask.family;

import dev.damask.effect.Effect;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectIntent;
import dev.damask.event.EffectRequest;
import dev.damask.intake.Replies;
import dev.damask.program.Program;
import dev.damask.task.ChildTemplate;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The child case that a task asks for.
///
/// @param program null if the engine has no program of this workflow
/// @param id the id of the child
/// @param isGiven whether the workflow chose the id
public record ChildRequest(
    String workflow,
    @Nullable Program program,
    String id,
    boolean isGiven,
    boolean isDetached,
    Context input) {
  private static final int HASH_BYTES = 16;

  /// The programs that an engine knows.
  public interface Programs {
    /// Compiles a workflow and makes it known.
    Program register(WorkflowDefinition workflow);

    /// The program of a name; null if it is not known.
    @Nullable Program named(String workflow);
  }

  /// Whether a task starts a child when it is reached.
  public static boolean isChild(EffectRequest request) {
    return request.task().handler() instanceof ChildCase
        || (request.requested() == null && request.task().template() instanceof ChildTemplate);
  }

  /// Whether an intent is the plan of a child.
  public static boolean isChild(EffectIntent intent) {
    return intent.type().equals(ChildTemplate.TYPE) && intent.with().has(ChildTemplate.WORKFLOW);
  }

  /// Whether an intent is the plan of a child that its task does not wait for.
  public static boolean isDetached(EffectIntent intent) {
    return Boolean.TRUE.equals(intent.with().get(ChildTemplate.DETACHED));
  }

  /// The request of a task. Throws [EffectException], and whatever the user's functions throw.
  ///
  /// @param known the intent of an earlier attempt; null for the first
  public static ChildRequest of(
      String parent, EffectRequest request, @Nullable EffectIntent known, Programs programs)
      throws EffectException {
    Context context = request.context();
    String derived = derived(parent, request, known);
    if (request.task().handler() instanceof ChildCase child) {
      String id = child.id() == null ? derived : given(child.id().apply(context));
      Program program = programs.register(child.workflow().definition());
      Context input = child.input().apply(context);
      return new ChildRequest(
          child.workflow().name(), program, id, child.id() != null, child.isDetached(), input);
    }
    EffectSpec spec = request.spec();
    if (!(spec.with().get(ChildTemplate.WORKFLOW) instanceof String workflow)) {
      throw new EffectException(
          ChildCase.REASON,
          "an effect of type child needs the name of a workflow under 'workflow', found "
              + spec.with().get(ChildTemplate.WORKFLOW));
    }
    boolean isGiven = spec.with().has(ChildTemplate.ID);
    String id = isGiven ? given(spec.with().get(ChildTemplate.ID)) : derived;
    Context input = spec.with().has(ChildTemplate.INPUT) ? input(spec) : context;
    boolean isDetached = Boolean.TRUE.equals(spec.with().get(ChildTemplate.DETACHED));
    Program program = programs.named(workflow);
    return new ChildRequest(workflow, program, id, isGiven, isDetached, input);
  }

  private static Context input(EffectSpec spec) {
    Context input = Context.empty();
    if (spec.with().get(ChildTemplate.INPUT) instanceof Map<?, ?> map) {
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        input = input.with(String.valueOf(entry.getKey()), entry.getValue());
      }
    }
    return input;
  }

  private static String given(@Nullable Object id) throws EffectException {
    try {
      String text = id instanceof String string ? string : String.valueOf(id);
      Replies.requireNewId(text, List.of());
      return text;
    } catch (IllegalArgumentException e) {
      throw new EffectException(ChildCase.REASON, "the id of the child: " + e.getMessage());
    }
  }

  /// The id of the first child of an execution.
  public static String idOf(String parent, EffectId execution) {
    return shortened(parent + ":" + execution);
  }

  /// The id of the child of an execution. A further attempt has its own child.
  private static String derived(
      String parent, EffectRequest request, @Nullable EffectIntent known) {
    String id = idOf(parent, request.id());
    if (known == null || known.isHeld() || known.held() == EffectIntent.Held.APPROVED) {
      return id;
    }
    String before = known.key();
    int number = 2;
    if (before.startsWith(id + ".")) {
      number = 1 + Integer.parseInt(before.substring(id.length() + 1));
    }
    return shortened(id + "." + number);
  }

  /// An id that is too long is replaced by its hash, after as much of it as fits.
  private static String shortened(String id) {
    if (id.length() <= Replies.ID_MAX - 4) { // room for the number of a further attempt
      return id;
    }
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.US_ASCII));
      String hash = HexFormat.of().formatHex(digest, 0, HASH_BYTES);
      return id.substring(0, 48) + ":" + hash;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /// The plan of the task: it waits, and no handler is called.
  public EffectIntent intent(EffectRequest request, @Nullable EffectIntent known) {
    Effect effect =
        new Effect(request.id(), request.task().name(), request.attempt(), ChildTemplate.TYPE, id);
    Context with = Context.of(ChildTemplate.WORKFLOW, workflow, ChildTemplate.ID, id);
    EffectIntent intent =
        EffectIntent.of(
            effect,
            request.token().number(),
            false,
            Delivery.KEYED,
            isDetached ? with.with(ChildTemplate.DETACHED, true) : with);
    return known == null ? intent : intent.withHeld(known.held(), known.dueMillis());
  }

  /// What the task writes when its child has completed.
  public static Context result(EffectRequest request, Context end) {
    return request.task().handler() instanceof ChildCase child ? child.result().apply(end) : end;
  }

  /// What the task writes when its detached child has been started.
  public static Context started(EffectRequest request, String id) {
    if (request.task().handler() instanceof ChildCase child) {
      return child.result().apply(Context.of(ChildTemplate.ID, id));
    }
    return request.task().options().result() == null
        ? Context.empty()
        : Context.of(ChildTemplate.ID, id);
  }

  /// The sentence about a child that is nested too deeply.
  public static String tooDeep(String parent, String workflow, int depth) {
    return "case %s is number %d of a chain of child cases, its limit callDepth is %d; workflow %s"
            .formatted(parent, depth + 1, depth, Objects.requireNonNull(workflow))
        + " must not start itself without end";
  }
}
