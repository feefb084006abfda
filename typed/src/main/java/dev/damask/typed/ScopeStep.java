package dev.damask.typed;

import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A region that can be cancelled by its name, timed, undone, and made to handle failures.
public final class ScopeStep implements Step {
  private final String name;
  private final List<String> holding;
  private final ScopeOptions options;
  private final Term body;

  private ScopeStep(String name, List<String> holding, ScopeOptions options, Term body) {
    this.name = name;
    this.holding = holding;
    this.options = options;
    this.body = body;
  }

  static ScopeStep of(String name, Term body) {
    return new ScopeStep(name, List.of(), ScopeOptions.NONE, body);
  }

  private ScopeStep with(
      @Nullable Duration timeout, @Nullable Term onTimeout, @Nullable Term handler, boolean undo) {
    ScopeOptions changed =
        new ScopeOptions(
            timeout,
            onTimeout,
            handler,
            undo,
            options.allow(),
            options.marking(),
            options.listener());
    return new ScopeStep(name, holding, changed, body);
  }

  /// What follows a failure inside; [Steps#FAILURE] contains the reason.
  public ScopeStep onFailure(Step... parts) {
    Term handler = FlowSteps.body(parts);
    return with(options.timeout(), options.onTimeout(), handler, options.undo());
  }

  /// Lets the scope fail with `timeout` if it is open for longer.
  public ScopeStep timeout(Duration time) {
    return with(time, options.onTimeout(), options.handler(), options.undo());
  }

  /// Runs other steps if the scope is open for longer.
  public ScopeStep timeout(Duration time, Step... parts) {
    return with(time, FlowSteps.body(parts), options.handler(), options.undo());
  }

  /// Undoes completed tasks before the scope fails or is cancelled.
  public ScopeStep undoing() {
    return with(options.timeout(), options.onTimeout(), options.handler(), true);
  }

  /// Runs the scope only while it owns one token of the place.
  public ScopeStep holding(String place) {
    List<String> all = new ArrayList<>(holding);
    all.add(place);
    return new ScopeStep(name, List.copyOf(all), options, body);
  }

  /// Marks a place exactly while the scope is open.
  public ScopeStep marking(String place) {
    return new ScopeStep(name, holding, options.marking(place), body);
  }

  /// Notifies a listener of the engine when the scope is cancelled.
  public ScopeStep notifying(String listener) {
    return new ScopeStep(name, holding, options.notifying(listener), body);
  }

  /// Allows only effects of these types inside, and in child cases that are started inside; without
  /// types, none. The type of a typed effect is the name of its task, that of its undo `undo NAME`,
  /// that of a child `child` and that of an approval `approval`. Throws `IllegalArgumentException`
  /// if a task inside always has another type; it could never start.
  public ScopeStep allow(String... types) {
    List<String> allowed = List.of(types);
    TermWalker.walk(
        TermPath.BODY,
        body,
        (_, term) -> {
          if (term instanceof Term.Task(var task, Term.Work.Effect(var template, _), _, _)
              && !template.type().isEmpty()
              && !allowed.contains(template.type())) {
            throw new IllegalArgumentException(
                ("scope %s: task '%s' has the effect type '%s', which the scope does not allow;"
                        + " allowed: %s")
                    .formatted(name, task, template.type(), allowed));
          }
        });
    return new ScopeStep(name, holding, options.allowing(types), body);
  }

  @Override
  public Term term() {
    return new Term.Cancel(name, holding, options, body);
  }
}
