package dev.damask.spring.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/// Starts the context of a [DamaskTest].
public final class DamaskTestContextBootstrapper
    extends TestSliceTestContextBootstrapper<DamaskTest> {}
