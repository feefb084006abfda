package dev.damask.nursery;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a method whose result must be used. Error Prone recognises the annotation by its simple
/// name and rejects a call that ignores the result; `var _ =` states that this is intended.
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface CheckReturnValue {}
