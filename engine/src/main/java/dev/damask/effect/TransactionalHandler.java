package dev.damask.effect;

/// A handler that runs inside the transaction that commits its case. An engine refuses workflows
/// with such a handler if its store joins no transactions.
public interface TransactionalHandler extends EffectHandler {}
