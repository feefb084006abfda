package dev.damask.cases;

import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.effect.WaitingEffect;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.family.ChildCase;
import dev.damask.script.ScriptRun;
import dev.damask.script.ScriptStep;
import dev.damask.steps.LiveScript;
import dev.damask.steps.ScriptCase;
import dev.damask.store.CaseCommit;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A case in memory as its scripts see it.
record ScriptedCase(LiveCase live, CaseRunner runner) implements ScriptCase {
  @Override
  public String id() {
    return live.id;
  }

  @Override
  public boolean isDirty() {
    return live.isDirty;
  }

  @Override
  public boolean isQuarantined() {
    return live.isQuarantined;
  }

  @Override
  public void setDirty() {
    live.isDirty = true;
  }

  @Override
  public Map<EffectId, LiveScript> scripts() {
    return live.scripts;
  }

  @Override
  public void put(LiveScript script) {
    live.scripts = live.scripts.isEmpty() ? new LinkedHashMap<>() : live.scripts;
    live.scripts.put(script.id(), script);
  }

  @Override
  public Reply apply(Input input, long now) {
    return runner.apply(live, input, now);
  }

  @Override
  public @Nullable EffectIntent intent(EffectId id) {
    return live.intents.get(id);
  }

  @Override
  public boolean isElsewhere(EffectId id) {
    return live.intents.elsewhere().contains(id);
  }

  @Override
  public Collection<EffectIntent> intents() {
    return live.intents.all();
  }

  @Override
  public void plan(EffectIntent intent) {
    live.plan(intent);
  }

  @Override
  public void drop(EffectIntent intent) {
    live.drop(intent);
  }

  @Override
  public void compute(EffectIntent intent) {
    live.compute(intent);
  }

  @Override
  public void receipt(Receipt.Body body) {
    live.receipt(body);
  }

  @Override
  public void settled(EffectIntent intent) {
    long number = live.chain.count();
    live.keys.add(new CaseCommit.KeyUse(intent.type(), intent.key(), number));
    live.telling.settled.add(new AfterCommit.Settled(live.id, intent));
  }

  @Override
  public void charge(BigDecimal cost) {
    live.terms = live.terms.withEffect(cost);
  }

  @Override
  public long deadlineMillis() {
    return live.terms.deadlineMillis();
  }

  @Override
  public @Nullable String refusal(EffectRequest request, String type, long now) {
    EffectPolicy.Refusal refusal = runner.governor.refusal(live, request, type, now);
    return refusal == null ? null : refusal.reason() + ": " + refusal.sentence();
  }

  @Override
  public EffectIntent held(EffectIntent intent, long now) throws EffectException {
    return runner.governor.hold(intent, true, now);
  }

  @Override
  public EffectIntent limited(EffectIntent intent, long now) {
    return runner.governor.limited(intent, now);
  }

  @Override
  public WaitingEffect.TimeUp timeUp(EffectIntent intent) {
    return runner.governor.timeUp(intent);
  }

  @Override
  public boolean hasPlace(String name) {
    return live.state.program().placeIndex(name) >= 0;
  }

  @Override
  public List<Context> signals(String place) {
    return live.state.signals(place);
  }

  @Override
  public boolean isWaiting(TokenId token) {
    return live.state.isWaiting(token);
  }

  @Override
  public void call(EffectIntent intent, Context context, EffectHandler handler, long deadline) {
    live.telling.outgoing.add(
        new AfterCommit.Call(
            live.id, intent, context, handler, deadline, live.terms.options().traceparent()));
  }

  @Override
  public boolean needsPermit(EffectIntent intent, Context context, long now) {
    return runner.permits.queueStep(live, intent, context, now);
  }

  @Override
  public void startChild(EffectRequest request, EffectIntent step, ChildCase child)
      throws EffectException {
    runner.children.start(live, request, step, child);
  }

  @Override
  public void cancelChild(EffectIntent step) {
    if (ScriptStep.isChild(step) && step.held() == EffectIntent.Held.FOR_TIME) {
      runner.children.cancel(live, step);
    }
  }

  @Override
  public void know(ChildCase child) {
    runner.children.know(child);
  }

  @Override
  public void withdraw(EffectId id) {
    live.telling.outgoing.add(new AfterCommit.Withdrawal(live.id, id));
  }

  @Override
  public void retract(EffectId id) {
    var _ = live.telling.retract(id);
  }

  @Override
  public void start(EffectCall call, ScriptRun run) {
    live.telling.outgoing.add(new AfterCommit.Script(call, run));
  }

  @Override
  public void park(EffectRequest request, String reason, String detail, long now) {
    EffectIntent computing = live.intents.get(request.id());
    if (computing != null) {
      live.drop(computing);
    }
    Effect effect =
        new Effect(request.id(), request.task().name(), request.attempt(), "script", "");
    int token = request.token().number();
    EffectIntent intent = EffectIntent.of(effect, token, false, Delivery.READ, Context.empty());
    runner.park(live, intent, reason, detail, now);
  }

  @Override
  public void tell(Runnable news) {
    live.telling.outgoing.add(new AfterCommit.News(news));
  }
}
