package dev.damask.effect;

/// A handler whose calls run on platform threads.
record CpuBound(EffectHandler handler) implements ForwardingHandler {
  @Override
  public boolean isCpuBound() {
    return true;
  }
}
