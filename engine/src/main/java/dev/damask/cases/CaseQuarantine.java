package dev.damask.cases;

import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;

/// Puts a case aside as it was committed last, with what broke it.
final class CaseQuarantine {
  private final Shard shard;

  CaseQuarantine(Shard shard) {
    this.shard = shard;
  }

  void put(LiveCase each, Throwable thrown, long now) {
    String evidence = Views.evidence(thrown);
    IllegalStateException sentence =
        new IllegalStateException("case " + each.id + " was quarantined: " + thrown, thrown);
    shard.publishing.addCompletion(each.refusal(sentence));
    each.queue.clear();
    each.telling.clear();
    shard.options.watch().dropped(each.id);
    CaseRecord before = each.record;
    if (before == null) {
      // It broke before it was ever committed, so nobody was told that it exists.
      each.forget();
      shard.live.remove(each.id);
      shard.messages.neverStored(each, thrown);
      shard.publishing.addCompletion(shard.outlet.refusal(each.id, sentence));
      each.isQuarantined = true;
      return;
    }
    each.restore(shard.live.lastSubmitted(each));
    if (each.state.isDone()) {
      return; // it has ended, and its end was told
    }
    each.isQuarantined = true;
    CaseCommit commit = each.commit(shard.store.epoch(), now, CaseRecord.NEVER, evidence, true);
    shard.commit(each, commit, Shard.resultOf(each));
  }
}
